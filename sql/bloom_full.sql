-- A filter that got more values than it was made for says so: `saturated` beyond
-- 1.25 times its rate, a warning beyond twice of it, once for each result.

-- 1,000 values at 1 %: filled to 1,000, to where it is saturated, to where it warns.
SET client_min_messages = error;
CREATE TEMP TABLE filled AS
	SELECT n, bloom_agg(v, 1000, 0.01) AS f FROM (VALUES (1000), (1100), (1200), (1300), (1500), (3000), (100000)) t(n), generate_series(1, n) v GROUP BY n;
CREATE TEMP TABLE parts AS
	SELECT part, bloom_agg(part * 500 + v, 1000, 0.01) AS f FROM generate_series(0, 3) part, generate_series(1, 500) v GROUP BY part;
RESET client_min_messages;
SELECT n, round((expected_rate / target_rate)::numeric, 1) AS times_its_rate, saturated, saturated = (expected_rate > 1.25 * target_rate) AS by_definition,
	round(fill_ratio::numeric, 2) AS fill_ratio, abs(items / n::float8 - 1) < 0.1 AS items
FROM filled, bloom_info(f) ORDER BY n;
-- The expected rate is what is seen.
SELECT n, abs(count(*) FILTER (WHERE bloom_contains(f, -v)) - 50000 * e) < 5 * sqrt(50000 * e * (1 - e)) + 1 AS as_expected
FROM (SELECT *, (bloom_info(f)).expected_rate AS e FROM filled OFFSET 0) t, generate_series(1, 50000) v GROUP BY n, e ORDER BY n;
-- After three times its capacity, 40 to 50 % of what is absent is taken for there. That is
-- promised of large filters, and tested on those in test/unit/bloom_test.cpp, OverfullSaysSo.
-- A small one is made larger, to keep its rate though it is one of few blocks: less is.
SELECT (bloom_info(f)).expected_rate BETWEEN 0.3 AND 0.5 AS rate FROM filled WHERE n = 3000;

-- Final functions: one warning for each result, none for each row, and none below twice the rate.
SELECT bloom_count(bloom_agg(v, 1000, 0.01)) > 1100 AS saturated_only FROM generate_series(1, 1200) v;
SELECT bloom_count(bloom_agg(v, 1000, 0.01)) > 1200 AS just_beyond FROM generate_series(1, 1300) v;
SELECT bloom_count(bloom_agg(v, 1000, 0.01)) > 2800 AS once FROM generate_series(1, 3000) v;
SELECT bloom_count(bloom_agg(v, 1000, 0.01, 7)) > 2800 AS with_seed FROM generate_series(1, 3000) v;
SET enable_hashagg = off;
SELECT v % 2 AS g, bloom_count(bloom_agg(v, 1000, 0.001)) > 1400 AS one_for_each_group FROM generate_series(1, 3000) v GROUP BY v % 2;
RESET enable_hashagg;
SELECT bloom_count(bloom_agg(v, 100000, 0.00001)) > 120000 AS large_blocks FROM generate_series(1, 130000) v;
SELECT bloom_count(bloom_agg(v, 1000, 0.01) OVER ()) > 1400 AS once_for_a_partition FROM generate_series(1, 1500) v LIMIT 1;
-- The aggregate of stored ones: right after unions too.
SELECT bloom_count(bloom_union(f)) > 900 AS two FROM parts WHERE part < 2;
SELECT bloom_count(bloom_union(f)) > 1900 AS four FROM parts;
-- Scalar functions: when they make such a filter, not when they read one.
SELECT bloom_count(a.f || b.f) > 900 AS two FROM parts a, parts b WHERE a.part = 0 AND b.part = 1;
SELECT bloom_count(bloom_union(filled.f, parts.f)) > 1700 AS both FROM filled, parts WHERE n = 1300 AND part = 3;
SELECT bloom_count(bloom_add(f, -1)) > 1000 AS below FROM filled WHERE n = 1200;
SELECT bloom_count(bloom_add(f, -1)) > 1000 AS above FROM filled WHERE n = 1500;
SELECT bloom_add(f, 1) = f AS nothing_changed, bloom_add(f, NULL) = f AS null, bloom_contains(f, 1) AS contains, bloom_count(f) > 1000 AS count,
	(bloom_info(f)).saturated AS info, f::text::bloom = f AND f::bytea::bloom = f AS casts
FROM filled WHERE n = 3000;
-- The warning comes again with whatever is made of it.
SELECT bloom_count(f || bloom_empty(1000, 0.01)) > 1000 AS united FROM filled WHERE n = 3000;
SELECT bloom_count(bloom_union(f)) > 1000 AS united FROM filled WHERE n = 3000;
-- A filter in which every bit is set answers yes to all, and knows it.
SELECT expected_rate, fill_ratio, saturated, items > 0 AND items < 9e18 AS items FROM bloom_info(('\x2110020a000000000000007b14ae47e17a843f07' || repeat('ff', 64))::bloom);
SELECT bloom_contains(bloom_add(f, 1), 5) AS contains, f || f = f AS united FROM (VALUES (('\x2110020a000000000000007b14ae47e17a843f07' || repeat('ff', 64))::bloom)) t(f);
-- Of a high rate there is no double.
SELECT expected_rate > 0.999 AS full, saturated FROM (SELECT bloom_agg(v, 100, 0.9) AS f FROM generate_series(1, 20000) v) t, bloom_info(f);
-- Who wants no warnings has PostgreSQL's setting.
SET client_min_messages = error;
SELECT bloom_count(bloom_agg(v, 1000, 0.01)) > 2800 AS silent FROM generate_series(1, 3000) v;
RESET client_min_messages;
-- Rebuilt as the hint says: no warning, and not saturated.
SELECT saturated FROM (SELECT bloom_agg(v, 3000, 0.01) AS f FROM generate_series(1, 3000) v) t, bloom_info(f);
