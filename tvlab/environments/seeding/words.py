"""Word lists for seeded values: nouns by kind, topics, titles, sentences."""

from __future__ import annotations

PEOPLE = frozenset(
    "agent artist attendee author buyer candidate client contact customer doctor driver employee guest "
    "lead member owner patient person player resident seller student teacher tenant user".split()
)
ORGANISATIONS = frozenset(
    "airline bank brand carrier clinic company employer merchant org organisation organization publisher "
    "supplier tenant vendor workspace".split()
)
TOPICS = tuple(
    "budget launch onboarding inventory website invoice contract training release survey warehouse "
    "newsletter roadmap audit catalogue payroll workshop delivery support migration security billing "
    "campaign travel archive printer network schedule proposal feedback".split()
)
ACTIONS = tuple(
    "Review, Plan, Update, Prepare, Check, Finish, Discuss, Draft, Repair, Order, Collect, Present, "
    "Compare, Clean up, Approve".split(", ")
)
ADJECTIVES = tuple(
    "Amber Northern Quiet Bright Silver Autumn Central Rapid Green Coastal Modern Golden Hidden Early "
    "Solid Blue Western Clear Grand Little Velvet Open Summer Iron Misty".split()
)
SENTENCES = (
    "Please look at the {topic} before {day}.",
    "The {topic} needs another check.",
    "We talked about the {topic} on {day}.",
    "Everything for the {topic} is ready.",
    "There is a problem with the {topic}.",
    "The {topic} will be finished by {day}.",
    "Could somebody take over the {topic}?",
    "New figures for the {topic} are attached.",
    "The {topic} was moved to {day}.",
    "Thanks for your help with the {topic}.",
    "Waiting for an answer about the {topic}.",
    "First notes on the {topic}.",
)
DAYS = tuple("Monday Tuesday Wednesday Thursday Friday".split())
PRODUCTS = tuple(
    "Desk Lamp, Kettle, Backpack, Notebook, Headphones, Office Chair, Water Bottle, Keyboard, Garden "
    "Hose, Tent, Coffee Grinder, Umbrella, Wall Clock, Blanket, Toolbox, Camera, Bookshelf, Speaker, "
    "Bicycle Pump, Frying Pan".split(", ")
)
ROOMS = tuple(
    "Kitchen, Living Room, Bedroom, Office, Hallway, Garage, Library, Studio, Attic, Bathroom, Dining "
    "Room, Workshop, Balcony, Cellar".split(", ")
)
PRODUCT_NOUNS = frozenset("article asset device good inventory item listing product variant".split())
PLACE_NOUNS = frozenset("area location room site zone".split())
TASK_NOUNS = frozenset("card event goal incident issue job meeting reminder request task ticket todo".split())
LONG = frozenset(
    "about abstract answer bio body caption comment content description details grounds instructions memo "
    "message note notes purpose reason resolution summary terms text".split()
)
FUTURE = frozenset(
    "arrival arrives check deadline delivery departs departure due end expires expiry next pickup "
    "reminder return scheduled start until".split()
)
