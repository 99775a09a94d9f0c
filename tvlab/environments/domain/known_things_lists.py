"""Lines of what known things hold (``known_things.py``): lists only, one thing a line, wrapped lines indented.

    thing, other name of it: column, column = value | value, column 1..90, column 0.5..9.5, column @date, column ?

A column without values is one of ``fact_words.FIELD_WORDS``; ``?`` is a switch.
"""

TRADE = """
payment, payment transaction: amount, currency, status = pending | authorized | captured | failed, created_at @moment
payout: amount, currency, status = scheduled | paid | failed, payout_date @date
settlement: amount, currency, status = pending | settled, settlement_date @date
chargeback: amount, currency, reason = fraud | duplicate | product not received, status = open | won | lost, opened_at
    @moment
shipment: carrier = DHL | FedEx | UPS | USPS, status = in transit | delivered | delayed, shipped_at @moment,
    delivery_date @date
return, product return: reason = damaged | wrong size | not as described, status = requested | received | refunded,
    requested_at @moment
refund: amount, currency, status = pending | completed, created_at @moment
product, shop product, store product: name, price, currency, brand
coupon, voucher: code = FREESHIP | SAVE10 | SPRING25 | SUMMER15 | WELCOME5, discount_percent 5..50, valid_until @date
subscription plan, pricing plan: name, price, currency, billing_period = monthly | yearly
marketing campaign, ad campaign: name, status = active | paused | completed, budget, start_date @date, end_date @date
escalation: reason = complaint | delay | refund dispute, priority, status = open | resolved, created_at @moment
commission: amount, currency, rate, date
fee schedule: fee, currency
hotel: name, city, rating, address
restaurant: name, city, cuisine = French | Italian | Japanese | Korean | Mexican | Thai, rating, address, phone
flight: airline = Air France | Delta | Emirates | Lufthansa | United, departure_time @moment, arrival_time @moment,
    status = scheduled | boarding | delayed | landed
job listing, job posting: title, company, city, posted_date @date
real estate listing, property listing: address, price, area, bedrooms 1..5
"""
PLACES = """
country: name = Argentina | Brazil | Canada | Egypt | France | Germany | India | Japan | Kenya | Mexico | Norway |
    Spain, capital = Buenos Aires | Brasilia | Ottawa | Cairo | Paris | Berlin | New Delhi | Tokyo | Nairobi | Mexico
    City | Oslo | Madrid
bank: name = Alpha Bank | Banco Central | Citizens Bank | City Savings Bank | First National Bank | Harbour Bank |
    Merchant Bank | Northern Trust | Pacific Bank | Union Bank, bank_code 101..990
weather station, tide station: name = Alpine Ridge | Airport North | Bay Point | City Park | East Harbour | Hill Top |
    Lake View | Lighthouse | River Mouth | South Beach, elevation
data center, datacenter: name = Amsterdam 1 | Ashburn 2 | Frankfurt 1 | London 3 | Mumbai 1 | Paris 2 | Phoenix 1 |
    Sao Paulo 1 | Singapore 2 | Vilnius 1, country = Netherlands | United States | Germany | United Kingdom | India |
    France | United States | Brazil | Singapore | Lithuania
airport: name = Changi | Frankfurt | Gatwick | Haneda | Heathrow | Incheon | Logan | O'Hare | Orly | Schiphol, country
    = Singapore | Germany | United Kingdom | Japan | United Kingdom | South Korea | United States | United States |
    France | Netherlands
timezone, time zone: name = America/New_York | America/Sao_Paulo | Asia/Dubai | Asia/Kolkata | Asia/Tokyo |
    Australia/Sydney | Europe/Berlin | Europe/London | Pacific/Auckland | UTC, utc_offset = -05:00 | -03:00 | +04:00 |
    +05:30 | +09:00 | +10:00 | +01:00 | +00:00 | +12:00 | +00:00
"""
NATURE = """
dog breed, breed: name = Akita | Beagle | Border Collie | Boxer | Dachshund | Greyhound | Labrador Retriever | Poodle
    | Pug | Whippet, origin = Japan | England | Scotland | Germany | Germany | United Kingdom | Canada | France |
    China | England, life_span_years 10..15, weight_kg 6..40
cat breed: name = Abyssinian | Bengal | Birman | Burmese | Maine Coon | Persian | Ragdoll | Siamese | Somali | Sphynx,
    life_span_years 12..18
fruit: name = Apple | Apricot | Banana | Blueberry | Cherry | Fig | Lemon | Mango | Orange | Pear, family = Rosaceae |
    Rosaceae | Musaceae | Ericaceae | Rosaceae | Moraceae | Rutaceae | Anacardiaceae | Rutaceae | Rosaceae, calories
    30..110
fruit nutrition: calories 30..110, carbohydrates 5.0..25.0, protein 0.2..2.0, fat 0.1..1.0, sugar 3.0..18.0
mineral: name = Calcite | Diamond | Fluorite | Galena | Gypsum | Hematite | Malachite | Pyrite | Quartz | Topaz,
    formula = CaCO3 | C | CaF2 | PbS | CaSO4·2H2O | Fe2O3 | Cu2CO3(OH)2 | FeS2 | SiO2 | Al2SiO4(F,OH)2
compound, chemical compound: name = Aspirin | Benzene | Caffeine | Ethanol | Glucose | Ibuprofen | Menthol |
    Paracetamol | Urea | Vanillin, molecular_formula = C9H8O4 | C6H6 | C8H10N4O2 | C2H6O | C6H12O6 | C13H18O2 |
    C10H20O | C8H9NO2 | CH4N2O | C8H8O3, molecular_weight = 180.16 | 78.11 | 194.19 | 46.07 | 180.16 | 206.28 | 156.26
    | 151.16 | 60.06 | 152.15
medicine, drug: name = Amoxicillin | Aspirin | Atorvastatin | Ibuprofen | Loratadine | Metformin | Naproxen |
    Omeprazole | Paracetamol | Simvastatin, dosage_form = capsule | tablet | tablet | tablet | tablet | tablet |
    tablet | capsule | tablet | tablet
planet: name = Alderaan | Bespin | Coruscant | Dagobah | Endor | Hoth | Kamino | Mustafar | Naboo | Tatooine, climate
    = temperate | temperate | temperate | murky | temperate | frozen | temperate | hot | temperate | arid, terrain =
    grasslands | gas giant | cityscape | swamp | forests | tundra | ocean | volcanoes | hills | desert
starship: name = A-wing | B-wing | Death Star | Executor | Jedi Interceptor | Millennium Falcon | Slave 1 | Star
    Destroyer | TIE Advanced | X-wing, crew 1..300, passengers 0..600
vehicle: name, manufacturer, crew 1..5, passengers 0..30
film: title, director = Agnes Varda | Akira Kurosawa | Bong Joon-ho | George Lucas | Greta Gerwig | Hayao Miyazaki |
    Irvin Kershner | Jane Campion | Richard Marquand | Sofia Coppola, release_date @date
meal, recipe: name = Apple Pie | Beef Stew | Caesar Salad | Chicken Curry | Fish Tacos | Lentil Soup | Mushroom
    Risotto | Pancakes | Pasta Carbonara | Vegetable Lasagne, category = Dessert | Main | Salad | Main | Main | Soup |
    Main | Breakfast | Main | Main, cooking_minutes 10..120
"""
MEDIA = """
track, song: name, artist, duration_ms 120000..360000, popularity 1..100
album: name, artist, release_date @date, total_tracks 6..18
artist: name, followers 1000..900000, popularity 1..100
show, podcast show: name, publisher, total_episodes 5..300
episode, podcast episode: name, release_date @date, duration_ms 600000..5400000
audiobook: name, author, total_chapters 8..60
wallpaper: url, resolution = 1920x1080 | 2560x1440 | 3840x2160, category = anime | general | people, views 100..90000,
    favorites 1..900
game, video game, steam game: title, genre, release_date @date
trending game, epic trending game, steam trending game: title, rank 1..100
cast: text, author, timestamp, likes 0..900
zap: amount_sats 1..50000, sender, timestamp
blog post, forum post: title, author, content, published_at @moment
dog image, cat image: url, width 400..1920, height 300..1080
comment: author, text, created_at @moment
contest: title = Biweekly Contest 128 | Biweekly Contest 129 | Biweekly Contest 130 | Weekly Contest 390 | Weekly
    Contest 391 | Weekly Contest 392, start_time @moment, duration_minutes 90..120
coding problem, problem: title = Two Sum | Add Two Numbers | Longest Palindromic Substring | Valid Parentheses | Merge
    Intervals | Climbing Stairs | Word Search | Coin Change | Number of Islands | House Robber, difficulty = Easy |
    Medium | Medium | Easy | Medium | Easy | Medium | Medium | Medium | Medium, acceptance_rate 30..70
user submission, ac submission, recent submission, recent ac submission: problem_title = Two Sum | Valid Parentheses |
    Coin Change | Merge Intervals, language = cpp | java | python3, status = Accepted, submitted_at @moment
club, athlete club: name, city, member_count 10..900
segment, starred segment: name, distance, average_grade 0.5..12.5, city
segment effort: elapsed_seconds 60..3600, distance, start_date @moment
sports activity, athlete activity, recent activity: name, sport = Hike | Ride | Run | Swim | Walk, distance,
    moving_seconds 600..14400, start_date @moment
athlete route: name, distance, elevation_gain 10..1500
athlete lap, activity lap: lap_number 1..40, distance, elapsed_seconds 60..900
lap time: lap_number 1..58, driver_name, lap_seconds 70.0..110.0
"""
SOFTWARE = """
docker container: image = alpine:3.20 | nginx:1.27 | node:20 | postgres:16 | python:3.12 | redis:7, status = exited |
    paused | running, created_at @moment
docker image: repository = alpine | nginx | node | postgres | python | redis, tag = 3.20 | 1.27 | 20 | 16 | 3.12 | 7,
    size_mb 5..900
docker volume: name, driver = local
flow run, pipeline run, workflow run: status = completed | failed | running, started_at @moment, duration_seconds
    5..3600
test run, test engine run: status = failed | passed, started_at @moment, duration_seconds 5..900
failed execution: test_name, failure_reason = assertion failed | connection refused | timeout, duration_seconds 1..300
webhook: name, url, active ?
huggingface model, ml model: author, downloads 100..900000, likes 1..5000, task = fill-mask | image-classification |
    summarization | text-classification | text-generation | translation
huggingface dataset, dataset: name, author, downloads 100..90000
huggingface space: author, likes 1..900, sdk = docker | gradio | static | streamlit
huggingface collection: title, owner, item_count 1..40
os template, operating system template, vps template: name = AlmaLinux 9 | Arch Linux | CentOS 9 Stream | Debian 12 |
    Fedora 40 | openSUSE 15 | Rocky Linux 9 | Ubuntu 22.04 | Ubuntu 24.04 | Ubuntu 24.04 with Docker
public key, attached public key, ssh key: name, key_type = ecdsa | ssh-ed25519 | ssh-rsa
programming language: name = C | C++ | Go | Java | JavaScript | Kotlin | PHP | Python | Ruby | Rust
cargo package, nuget package, pypi package, golang package, composer package: name, version, license, downloads
issue link type, link type: name = Blocks | Clones | Duplicate | Relates, inward = is blocked by | is cloned by | is
    duplicated by | relates to, outward = blocks | clones | duplicates | relates to
agile board: name, type = kanban | scrum
project component: name, lead
service desk queue: name = All open | Assigned to me | Due today | Unassigned | Waiting for customer, issue_count
    0..60
request type: name = Get IT help | New hardware | Onboard new employee | Report an incident | Request access |
    Software license, description
role assignment: principal_type = Group | ServicePrincipal | User, role = Contributor | Owner | Reader, scope =
    /subscriptions/dev | /subscriptions/prod
role definition: name = Contributor | Owner | Reader | User Access Administrator, type = BuiltInRole | CustomRole
backup: created_at @moment, size_mb 100..90000
portfolio: name, project_count 1..40
security detection, detection: type = Brute-Force | Data Exfiltration | Hidden Tunnel | Port Scan | Ransomware
    Activity, severity, status = active | fixed | inactive, detected_at @moment
"""
COINS = """
network, blockchain network, supported network: name = Arbitrum | Avalanche | Base | BNB Chain | Ethereum | Fantom |
    Optimism | Polygon | Solana | zkSync, chain_id = 42161 | 43114 | 8453 | 56 | 1 | 250 | 10 | 137 | 101 | 324
dex, network dex, network dexes: name = Balancer | Curve | KyberSwap | PancakeSwap | QuickSwap | Raydium | SushiSwap |
    Trader Joe | Uniswap V2 | Uniswap V3, volume_usd 1000000..900000000
inscription, ordinal inscription: inscription_number 1000..70000000, content_type = image/png | image/webp | text/html
    | text/plain, owner_address
brc20, brc20 token: ticker = CATS | MEME | OOKI | ORDI | OXBT | PEPE | PIZA | RATS | SATS | TRAC, max_supply
    21000000..2100000000
rune: name = DOG•TO•THE•MOON | PUPS•WORLD•PEACE | RSIC•GENESIS•RUNE | SATOSHI•NAKAMOTO | UNCOMMON•GOODS |
    WANKO•MANKO•RUNES, supply
nft: name, token_id, owner_address
epoch info: epoch 500..700, slot_index 0..431999, slots_in_epoch 432000..432000, absolute_slot 250000000..330000000,
    block_height 230000000..300000000
slot: slot 250000000..330000000
block time: block_time @moment
first available block, minimum ledger slot: slot 240000000..249000000
slot leader: leader_address
inflation governor: initial 0.08..0.08, taper 0.15..0.15, foundation 0.05..0.05
aggregate trade: price, quantity 0.1..20.0, time @moment
historical trade, market trade: price, quantity 0.1..20.0, time @moment
average price, avg price: price
market order, structure order: price, volume_remain 1..900, order_type = buy | sell, issued_at @moment
"""
MARKETS = """
economic calendar, economic event: event = Consumer Price Index | GDP Growth Rate | Industrial Production | Nonfarm
    Payrolls | Retail Sales | Unemployment Rate, country, date, previous 0.1..9.0, estimate 0.1..9.0
house disclosure, house trade: representative = Alice Morgan | Brian Keller | Carol
    Hughes | Daniel Price, symbol, transaction_type = Purchase | Sale,
    amount = $1,001 - $15,000 | $15,001 - $50,000 | $50,001 - $100,000, transaction_date @date, disclosure_date @date
senate disclosure, senate trade: senator = Alice Morgan | Brian Keller | Carol Hughes | Daniel Price, symbol,
    transaction_type = Purchase | Sale,
    amount = $1,001 - $15,000 | $15,001 - $50,000 | $50,001 - $100,000, transaction_date @date, disclosure_date @date
latest institutional filing, institutional filing: form_type = 13F-HR | 13F-HR/A | 13F-NT | SC 13D | SC 13G,
    filing_date @date, url
industry pe, sector pe: pe 6.0..40.0
industry performance, sector performance: average_change_percent -4.0..4.0
forex list, forex pair, currency pair: symbol = AUDUSD | EURGBP | EURUSD | GBPUSD | NZDUSD | USDCAD | USDCHF | USDJPY,
    from_currency = AUD | EUR | EUR | GBP | NZD | USD | USD | USD, to_currency = USD | GBP | USD | USD | USD | CAD |
    CHF | JPY
option expiration date, expiration date: expiration_date @date
trading date, trade date, trading day: date
key metrics ttm, key metric ttm: pe_ratio 6.0..40.0, price_to_book 0.8..20.0, debt_to_equity 0.1..3.0,
    return_on_equity 2.0..60.0
income statement ttm: revenue, operating_income, net_income, eps
balance sheet statement ttm: total_assets, total_liabilities, total_equity
cash flow statement ttm: operating_cash_flow 1000000..900000000, capital_expenditure 1000000..90000000, free_cash_flow
    1000000..800000000
income statement growth: revenue_growth, operating_income_growth, net_income_growth, eps_growth
balance sheet growth, balance sheet statement growth: total_assets_growth, total_liabilities_growth,
    total_equity_growth
cash flow growth, cash flow statement growth: operating_cash_flow_growth, free_cash_flow_growth
owner earning: owner_earnings_total 1000000..90000000, maintenance_capex 1000000..90000000,
    growth_capex 1000000..90000000
funding rate: funding_rate -0.001..0.001, funding_time @moment
open interest: open_interest, timestamp
"""
