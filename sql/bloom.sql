-- Every function, operator, cast and aggregate of type bloom, with a result.
-- The bytes and sizes shown here are file format: an independent program that
-- follows docs/FORMAT.md gives the same.

-- bloom_sizing: what a filter will take.
SELECT bloom_sizing(1, 0.5) AS smallest, bloom_sizing(1000000, 0.01) AS million,
	bloom_sizing(false_positive_rate => 0.001, capacity => 1000000) AS last_of_small_blocks, bloom_sizing(1000000, 0.0009) AS large_blocks;
SELECT n, rate, s.bits, s.hashes, s.bytes = 4 + 20 + s.bits / 8 AS bytes, s.bits_per_value = s.bits::float8 / n AS bits_per_value
FROM (VALUES (1), (10), (1000), (100000), (50000000)) c(n), (VALUES (0.9), (0.1), (0.01), (0.001), (0.0001), (1e-6), (1e-9)) r(rate),
	bloom_sizing(n, rate) s
ORDER BY n, rate DESC;
SELECT bool_and(s.bits = i.bits AND s.hashes = i.hashes AND s.bytes = i.bytes AND s.bytes = pg_column_size(bloom_empty(n, rate))) AS as_built, count(*)
FROM (VALUES (1), (10), (1000), (100000)) c(n), (VALUES (0.9), (0.1), (0.01), (0.001), (0.0001), (1e-6), (1e-12)) r(rate),
	bloom_sizing(n, rate) s, bloom_info(bloom_empty(n, rate)) i;
SELECT bloom_sizing(NULL, 0.01) IS NULL AND bloom_sizing(1, NULL) IS NULL AS null_gives_null;

-- bloom_empty: a filter without values, with a seed or none.
SELECT bloom_empty(10, 0.01) AS empty, bloom_empty(10, 0.01, -2) AS with_seed;
SELECT bloom_empty(10, 0.01, 0) = bloom_empty(10, 0.01) AS seed_defaults_to_0,
	bloom_empty(10, 0.01) = bloom_empty(11, 0.01) AS other_capacity, bloom_empty(10, 0.01) = bloom_empty(10, 0.011) AS other_rate,
	bloom_empty(seed => 5, false_positive_rate => 0.01, capacity => 10) = bloom_empty(10, 0.01, 5) AS by_name;

-- bloom_agg with three and four arguments.
SELECT bloom_agg(v, 10, 0.01) AS three FROM generate_series(1, 3) v;
SELECT bloom_agg(v, 10, 0.01, 42) AS three_with_seed FROM generate_series(1, 3) v;
SELECT md5(bloom_agg(v, 1000, 0.0001)::bytea) AS large_blocks, md5(bloom_agg(v, 1000000, 0.01)::bytea) AS built_apart,
	md5(bloom_agg('value ' || v, 100000, 0.01, 7)::bytea) AS texts
FROM generate_series(1, 1000) v;
SELECT bloom_agg(v, 10, 0.01) = bloom_agg(v, 10, 0.01, 0) AS default_seed, bloom_agg(v, 10, 0.01) = bloom_agg(v, 10, 0.01, 1) AS other_seed,
	bloom_agg(v, 10::smallint, 1e-2) = bloom_agg(v, 10::bigint, 0.01::float8) AS types
FROM generate_series(1, 3) v;

-- Over no values: a filter without parameters, whatever parameters were given.
SELECT bloom_agg(v, 10, 0.01) AS no_rows, bloom_agg(v, 10, 0.01, 5) AS with_seed, bloom_agg(v, 0, 7) AS impossible
FROM generate_series(1, 0) v;
SELECT bloom_agg(v, 10, 0.01) AS nulls, bloom_agg(v, NULL, NULL, NULL) AS null_parameters FROM (VALUES (NULL::text), (NULL)) t(v);
SELECT bloom_agg(v, 10, 0.01) = bloom_agg(v, 10, 0.01) FILTER (WHERE v IS NOT NULL) AS nulls_are_skipped,
	bloom_count(bloom_agg(v, 10, 0.01)) AS two
FROM (VALUES (1), (NULL), (2), (NULL)) t(v);

-- bloom_contains: never false for a value that was added, seldom true for others.
CREATE TEMP TABLE cases AS
	SELECT n, rate, seed, used, bloom_agg(v, n, rate, seed) AS f, bloom_agg('t' || v, n, rate, seed) AS t
	FROM (VALUES (1), (100), (10000), (900000)) a(n), (VALUES (0.1), (0.0001)) b(rate), (VALUES (0), (77)) c(seed),
		LATERAL (SELECT least(n, 10000) AS used) l, generate_series(1, used) v
	GROUP BY n, rate, seed, used;
SELECT n, rate, count(*) FILTER (WHERE NOT bloom_contains(f, v)) AS denied, count(*) FILTER (WHERE NOT bloom_contains(t, 't' || v)) AS denied_texts, count(*)
FROM cases, generate_series(1, used) v GROUP BY n, rate ORDER BY n, rate;
-- As often as the filter expects, within four standard deviations and one.
SELECT n, rate, bool_and(numbers) AS numbers, bool_and(texts) AS texts FROM (SELECT n, rate, abs(sum(bloom_contains(f, -v)::int) - 10000 * e) <= 4 * sqrt(10000 * e) + 1 AS numbers,
	count(*) FILTER (WHERE bloom_contains(t, 'u' || v)) <= 10000 * rate * 1.05 + 4 * sqrt(10000 * rate) + 1 AS texts
FROM (SELECT *, (bloom_info(f)).expected_rate AS e FROM cases OFFSET 0) c, generate_series(1, 10000) v GROUP BY n, rate, seed, e) t
GROUP BY n, rate ORDER BY n, rate;
SELECT bloom_contains(NULL, 1) AS null_filter, bloom_contains(f, NULL::int) AS null_value, bloom_contains(f, NULL) AS null_of_no_type,
	bloom_contains(NULL, NULL) AS both, bloom_contains(filter => f, value => 1) AS by_name
FROM cases WHERE n = 1 AND rate = 0.1 AND seed = 0;
SELECT bloom_contains(bloom_empty(10, 0.01), 1) AS empty, bloom_contains(bloom_empty(10, 0.01, 5), 'a') AS any_kind,
	bloom_contains(bloom_agg(v, 10, 0.01), 1) AS without_parameters, bloom_contains(bloom_agg(v, 10, 0.01), 'a') AS too
FROM generate_series(1, 0) v;
-- One kind of value is one, whatever the type.
SELECT bloom_contains(bloom_agg(v, 100, 1e-9), 2::smallint) AND bloom_contains(bloom_agg(v, 100, 1e-9), 3::bigint) AS integers,
	bloom_contains(bloom_agg(v::text, 100, 1e-9), '2'::varchar) AND bloom_contains(bloom_agg(v::text, 100, 1e-9), '3 '::char(4)) AS texts,
	bloom_contains(bloom_agg(v::numeric, 100, 1e-9), 2.000) AS numerics, bloom_contains(bloom_agg(v, 100, 1e-9), 4) AS absent
FROM generate_series(1, 3) v;

-- bloom_add: what bloom_agg gives.
SELECT bloom_add(bloom_empty(10, 0.01), 1) = bloom_agg(1, 10, 0.01) AS plain,
	bloom_add(bloom_empty(10, 0.01, 5), 1) = bloom_agg(1, 10, 0.01, 5) AS with_seed,
	bloom_add(bloom_empty(10, 0.0001), 'a') = bloom_agg('a'::text, 10, 0.0001) AS text,
	bloom_add(bloom_add(bloom_empty(10, 0.01), 1), 2) = bloom_add(bloom_add(bloom_empty(10, 0.01), 2), 1) AS any_order,
	bloom_add(bloom_empty(1000000, 0.01), 1) = bloom_agg(1, 1000000, 0.01) AS large;
SELECT n, rate, bool_and(bloom_add(f, v) = f) AS added_again,
	bool_and(bloom_contains(bloom_add(f, -v), -v) AND (bloom_add(f, -v) = f) = bloom_contains(f, -v)) AS or_it_was_not_there
FROM cases, generate_series(1, least(n, 20)) v WHERE n <= 10000 GROUP BY n, rate ORDER BY n, rate;
SELECT bloom_add(f, NULL::int) = f AS null_value, bloom_add(NULL, 1) IS NULL AS null_filter, bloom_add(f, NULL) = f AS null_of_no_type,
	bloom_add(NULL, NULL) IS NULL AS both, bloom_add(e, NULL) = e AS to_nothing
FROM (SELECT bloom_agg(1, 10, 0.01) AS f, bloom_agg(1, 10, 0.01) FILTER (WHERE false) AS e) t;

-- bloom_union: function, operator and aggregate.
CREATE TEMP TABLE parts AS
	SELECT part, bloom_agg(part * 60 + v, 1000, 0.01) AS f FROM generate_series(0, 3) part, generate_series(1, 100) v GROUP BY part;
SELECT bloom_union(a.f, b.f) = bloom_agg(v, 1000, 0.01) AS as_built, bloom_union(a.f, b.f) = a.f || b.f AS operator,
	a.f || b.f = b.f || a.f AS commutes, a.f || a.f = a.f AS idempotent
FROM parts a, parts b, generate_series(1, 160) v WHERE a.part = 0 AND b.part = 1 GROUP BY a.f, b.f;
SELECT bloom_union(f) = (SELECT bloom_agg(v, 1000, 0.01) FROM generate_series(1, 280) v) AS as_built,
	bloom_union(f ORDER BY part DESC) = bloom_union(f) AS any_order,
	bloom_union(f) FILTER (WHERE part = 2) = (SELECT bloom_agg(v, 1000, 0.01) FROM generate_series(121, 220) v) AS one
FROM parts;
SELECT bloom_union(f) IS NULL AS no_filters FROM parts WHERE part > 3;
SELECT bloom_union(NULL::bloom) IS NULL AS only_null;
SELECT bloom_union(f) = (SELECT f FROM parts WHERE part = 1) AS null_is_skipped
FROM (VALUES (NULL), ((SELECT f FROM parts WHERE part = 1)), (NULL)) t(f);
SELECT bloom_union(f, NULL) IS NULL AND NULL || f IS NULL AND f || NULL IS NULL AS null_with_a_filter FROM parts WHERE part = 0;
-- One without parameters unites with any, and so does an empty one with the same.
SELECT f || none = f AND none || f = f AS without_parameters, f || bloom_empty(1000, 0.01) = f AND bloom_empty(1000, 0.01) || f = f AS empty,
	none || none = none AS both_without, none || bloom_empty(7, 0.5, 5) = bloom_empty(7, 0.5, 5) AS one_without,
	bloom_empty(7, 0.5, 5) || bloom_empty(7, 0.5, 5) = bloom_empty(7, 0.5, 5) AS both_empty
FROM parts, (SELECT bloom_agg(1, 10, 0.01) FILTER (WHERE false) AS none) n WHERE part = 0;
SELECT bloom_union(f) = bloom_agg(1, 1, 0.1) FILTER (WHERE false) AS none_has_parameters FROM (VALUES ('\x211000'::bloom), ('\x211000')) t(f);
SELECT bloom_union(f) = bloom_empty(7, 0.5, 5) AS one_has_parameters
FROM (VALUES ('\x211000'::bloom), (bloom_empty(7, 0.5, 5)), ('\x211000')) t(f);
SELECT bloom_union(f) = bloom_agg(1, 7, 0.5) AS one_has_a_value
FROM (VALUES ('\x211000'::bloom), (bloom_empty(7, 0.5)), (bloom_add(bloom_empty(7, 0.5), 1)), (bloom_empty(7, 0.5)), ('\x211000')) t(f);

-- Casts to and from bytea, and the text form, whatever bytea_output says.
SELECT bool_and(f::bytea::bloom = f AND f::text::bloom = f AND bloom_from_bytea(f::bytea) = f AND bloom_send(f) = f::bytea
	AND ('\x' || upper(substr(f::text, 3)))::bloom = f) AS both_ways, count(*)
FROM cases;
SELECT '\x211000'::bloom AS none, '\x211000'::bytea::bloom = bloom_agg(1, 10, 0.01) FILTER (WHERE false) AS bytea;
SET bytea_output = 'escape';
SELECT bloom_empty(10, 0.01) AS still_hex;
RESET bytea_output;
SELECT count(*) AS casts, bool_and(castcontext = 'e') AS all_explicit FROM pg_cast WHERE 'bloom'::regtype IN (castsource, casttarget);

-- Everything is immutable, safe in parallel plans and commented; STORAGE external.
SELECT count(*) > 40 AS many, bool_and(provolatile = 'i' AND proparallel = 's') AS immutable_and_safe,
	bool_and(obj_description(oid, 'pg_proc') IS NOT NULL) AS commented
FROM pg_proc WHERE proname LIKE 'bloom\_%';
SELECT typstorage, typlen FROM pg_type WHERE oid = 'bloom'::regtype;
SELECT DISTINCT proname FROM pg_proc WHERE proname LIKE 'bloom\_%' AND NOT proisstrict AND prokind = 'f' ORDER BY proname;
