"""JSON Schemas as servers send them -> plain JSON Schema 2020-12, and the formats that models take."""
