"""Where tool lists come from: packages, collections, client configurations, real servers running here or elsewhere."""
