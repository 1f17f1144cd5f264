-- Every function, operator, cast and aggregate of type cuckoo, with a result, and its
-- errors. The bytes and sizes shown here are file format: an independent program that
-- follows docs/FORMAT.md gives the same.

\i test/sql/fails.sql

-- cuckoo_sizing: what a filter will take.
SELECT cuckoo_sizing(1, 0.5) AS smallest, cuckoo_sizing(1000000, 0.01) AS million,
	cuckoo_sizing(false_positive_rate => 0.001, capacity => 1000000) AS by_name, cuckoo_sizing(1, 2e-9) AS longest;
SELECT n, rate, s.bits, s.fingerprint_bits, s.bytes = 4 + 28 + s.bits / 8 AS bytes, s.bits_per_value = s.bits::float8 / n AS bits_per_value
FROM (VALUES (1), (17), (18), (1000), (10000), (100000), (50000000)) c(n), (VALUES (0.9), (0.1), (0.01), (0.001), (1e-6)) r(rate),
	cuckoo_sizing(n, rate) s
ORDER BY n, rate DESC;
SELECT bool_and(s.bits = i.bits AND s.fingerprint_bits = i.fingerprint_bits AND s.bytes = i.bytes AND s.bytes = pg_column_size(cuckoo_empty(n, rate))) AS as_built, count(*)
FROM (VALUES (1), (10), (1000), (100000)) c(n), (VALUES (0.9), (0.1), (0.01), (0.001), (0.0001), (1e-6), (2e-9)) r(rate),
	cuckoo_sizing(n, rate) s, cuckoo_info(cuckoo_empty(n, rate)) i;
SELECT bool_and(8.0 * a.bytes / n <= 10.6) AS one_percent, bool_and(8.0 * b.bytes / n <= 13.8) AS one_permille
FROM (VALUES (10000), (12345), (1000000), (123456789)) c(n), cuckoo_sizing(n, 0.01) a, cuckoo_sizing(n, 0.001) b;
SELECT cuckoo_sizing(NULL, 0.01) IS NULL AND cuckoo_sizing(1, NULL) IS NULL AS null_gives_null;

-- cuckoo_empty: a filter without values, with a seed or none.
SELECT cuckoo_empty(10, 0.01) AS empty, cuckoo_empty(10, 0.01, -2) AS with_seed;
SELECT cuckoo_empty(10, 0.01, 0) = cuckoo_empty(10, 0.01) AS seed_defaults_to_0,
	cuckoo_empty(10, 0.01) = cuckoo_empty(11, 0.01) AS other_capacity, cuckoo_empty(10, 0.01) = cuckoo_empty(10, 0.011) AS other_rate,
	cuckoo_empty(seed => 5, false_positive_rate => 0.01, capacity => 10) = cuckoo_empty(10, 0.01, 5) AS by_name;

-- cuckoo_agg with three and four arguments: each row is a copy.
SELECT cuckoo_agg(v, 10, 0.01) AS three FROM generate_series(1, 3) v;
SELECT cuckoo_agg(v, 10, 0.01, 42) AS three_with_seed FROM generate_series(1, 3) v;
SELECT md5(cuckoo_agg(v, 1000, 0.0001 ORDER BY v)::bytea) AS numbers, md5(cuckoo_agg('value ' || v, 1000, 0.01, 7 ORDER BY v)::bytea) AS texts
FROM generate_series(1, 1000) v;
SELECT cuckoo_agg(v, 10, 0.01 ORDER BY v) = cuckoo_agg(v, 10, 0.01, 0 ORDER BY v) AS default_seed,
	cuckoo_agg(v, 10, 0.01) = cuckoo_agg(v, 10, 0.01, 1) AS other_seed,
	cuckoo_agg(v, 10::smallint, 1e-2 ORDER BY v) = cuckoo_agg(v, 10::bigint, 0.01::float8 ORDER BY v) AS types
FROM generate_series(1, 3) v;
SELECT cuckoo_count(all_rows, 1) AS rows, cuckoo_count(distinct_rows, 1) AS distinct_values, cuckoo_count(all_rows, 5) AS absent,
	(cuckoo_info(all_rows)).items AS copies, (cuckoo_info(distinct_rows)).items
FROM (SELECT cuckoo_agg(v % 3, 10, 0.001) AS all_rows, cuckoo_agg(DISTINCT v % 3, 10, 0.001) AS distinct_rows FROM generate_series(0, 8) v) s;

-- Over no values: a filter without parameters, whatever parameters were given.
SELECT cuckoo_agg(v, 10, 0.01) AS no_rows, cuckoo_agg(v, 10, 0.01, 5) AS with_seed, cuckoo_agg(v, 0, 7) AS impossible
FROM generate_series(1, 0) v;
SELECT cuckoo_agg(v, 10, 0.01) AS nulls, cuckoo_agg(v, NULL, NULL, NULL) AS null_parameters FROM (VALUES (NULL::text), (NULL)) t(v);
SELECT cuckoo_agg(v, 10, 0.01 ORDER BY v) = cuckoo_agg(v, 10, 0.01 ORDER BY v) FILTER (WHERE v IS NOT NULL) AS nulls_are_skipped
FROM (VALUES (1), (NULL), (2), (NULL)) t(v);

-- cuckoo_contains: never false for a value that was added, seldom true for others.
CREATE TEMP TABLE cases AS
	SELECT n, rate, seed, used, cuckoo_agg(v, n, rate, seed) AS f, cuckoo_agg('t' || v, n, rate, seed) AS t
	FROM (VALUES (1), (100), (10000), (900000)) a(n), (VALUES (0.1), (0.001)) b(rate), (VALUES (0), (77)) c(seed),
		LATERAL (SELECT least(n, 10000) AS used) l, generate_series(1, used) v
	GROUP BY n, rate, seed, used;
SELECT n, rate, count(*) FILTER (WHERE NOT cuckoo_contains(f, v)) AS denied, count(*) FILTER (WHERE NOT cuckoo_contains(t, 't' || v)) AS denied_texts,
	count(*) FILTER (WHERE cuckoo_count(f, v) = 0) AS uncounted, count(*)
FROM cases, generate_series(1, used) v GROUP BY n, rate ORDER BY n, rate;
-- As often as the filter expects, within four standard deviations and one.
SELECT n, rate, bool_and(numbers) AS numbers, bool_and(texts) AS texts FROM (SELECT n, rate, abs(sum(cuckoo_contains(f, -v)::int) - 10000 * e) <= 4 * sqrt(10000 * e) + 1 AS numbers,
		abs(sum(cuckoo_contains(t, 't-' || v)::int) - 10000 * e) <= 4 * sqrt(10000 * e) + 1 AS texts
	FROM (SELECT *, (cuckoo_info(f)).expected_rate AS e FROM cases OFFSET 0) c, generate_series(1, 10000) v GROUP BY n, rate, seed, e) s
GROUP BY n, rate ORDER BY n, rate;
SELECT cuckoo_contains(cuckoo_empty(10, 0.01), 1) AS empty, cuckoo_contains('\x411000', 'x'::text) AS parameterless, cuckoo_count('\x411000', 1) AS count;
SELECT cuckoo_contains(NULL, 1) IS NULL AND cuckoo_contains(cuckoo_empty(10, 0.01), NULL::int) IS NULL AND cuckoo_count(NULL, 1) IS NULL AS null_gives_null;

-- cuckoo_add, cuckoo_remove and cuckoo_try_remove, one copy each.
SELECT cuckoo_add(cuckoo_add(cuckoo_empty(10, 0.01), 1), 2) = cuckoo_agg(v, 10, 0.01 ORDER BY v) AS as_aggregated FROM generate_series(1, 2) v;
SELECT cuckoo_remove(cuckoo_add(cuckoo_empty(10, 0.01, 3), 'a'), 'a') = cuckoo_empty(10, 0.01, 3) AS nothing_left;
SELECT cuckoo_count(f, 1) AS twice, cuckoo_count(cuckoo_remove(f, 1), 1) AS once, cuckoo_contains(cuckoo_remove(cuckoo_remove(f, 1), 1), 1) AS still
FROM (SELECT cuckoo_add(cuckoo_agg(v, 10, 0.01), 1) AS f FROM generate_series(1, 3) v) s;
SELECT removed, filter = cuckoo_empty(10, 0.01) AS empty FROM cuckoo_try_remove((SELECT cuckoo_agg(1, 10, 0.01)), 1);
SELECT r.removed, r.filter = f AS unchanged, again.removed AS again FROM (SELECT cuckoo_agg(1, 10, 0.01) AS f) s, cuckoo_try_remove(f, 2) r, cuckoo_try_remove(f, 1) again;
SELECT removed, filter FROM cuckoo_try_remove('\x411000', 1);
-- Adding and removing NULL changes nothing.
SELECT cuckoo_add(f, NULL::int) = f AS added, cuckoo_remove(f, NULL::int) = f AS removed, (cuckoo_try_remove(f, NULL::int)).removed AS tried,
	cuckoo_add(NULL, 1) IS NULL AND cuckoo_remove(NULL, 1) IS NULL AND cuckoo_try_remove(NULL, 1) IS NULL AS null_gives_null
FROM (SELECT cuckoo_agg(1, 10, 0.01) AS f) s;
-- Accounts come and go: what is left is found, and the copies left are counted.
CREATE TEMP TABLE accounts AS SELECT cuckoo_agg(v, 1000, 0.001) AS f FROM generate_series(1, 900) v;
DO $$
BEGIN
	FOR v IN 1..300 LOOP
		UPDATE accounts SET f = cuckoo_add(cuckoo_remove(f, v), v + 10000);
	END LOOP;
END
$$;
SELECT (cuckoo_info(f)).items, (SELECT count(*) FROM generate_series(301, 900) v WHERE NOT cuckoo_contains(f, v)) AS denied,
	(SELECT count(*) FROM generate_series(10001, 10300) v WHERE NOT cuckoo_contains(f, v)) AS new_denied,
	(SELECT count(*) < 5 FROM generate_series(1, 300) v WHERE cuckoo_contains(f, v)) AS few_removed_found
FROM accounts;

-- cuckoo_union, ||: all copies of both.
SELECT (cuckoo_info(u)).items, cuckoo_count(u, 1) AS of_one, cuckoo_count(u, 2) AS of_two, u = b || a AS larger_takes_smaller
FROM (SELECT cuckoo_agg(v, 10, 0.001 ORDER BY v) FILTER (WHERE v < 3) AS a, cuckoo_agg(v, 10, 0.001 ORDER BY v) FILTER (WHERE v > 1) AS b FROM generate_series(1, 4) v) s,
	LATERAL (SELECT a || b AS u) l;
SELECT cuckoo_union(f) AS no_filters, cuckoo_union(NULL::cuckoo) AS nulls FROM (SELECT cuckoo_empty(1, 0.1) AS f WHERE false) s;
SELECT f || '\x411000' = f AS parameterless, '\x411000' || f = f AS either_way, f || NULL IS NULL AS null_gives_null,
	f || cuckoo_empty(10, 0.01) = f AS empty, cuckoo_union(f, '\x411000') = f AS function
FROM (SELECT cuckoo_agg(1, 10, 0.01) AS f) s;
SELECT (cuckoo_info(cuckoo_union(f))).items, count(*) AS parts, bool_and(cuckoo_info(f) IS NOT NULL) AS informed
FROM (SELECT cuckoo_agg(v, 1000, 0.01) AS f FROM generate_series(1, 1000) v GROUP BY v % 7) s;
SELECT count(*) FILTER (WHERE NOT cuckoo_contains(u, v)) AS denied
FROM (SELECT cuckoo_union(f) AS u FROM (SELECT cuckoo_agg(v, 1000, 0.01) AS f FROM generate_series(1, 1000) v GROUP BY v % 7) s) t, generate_series(1, 1000) v;

-- cuckoo_info
\x
SELECT * FROM cuckoo_info((SELECT cuckoo_agg('v' || v, 1000, 0.01, 9) FROM generate_series(1, 500) v));
SELECT * FROM cuckoo_info('\x411000');
\x
SELECT count(*) FROM cuckoo_info(NULL) i WHERE i IS NOT NULL;

-- In and out, and comparisons.
SELECT f::text::cuckoo = f AS text, f::bytea::cuckoo = f AS bytea, cuckoo_send(f) = f::bytea AS send, upper(substr(f::text, 3)) <> substr(f::text, 3) AS lower
FROM (SELECT cuckoo_agg(v, 100, 0.01) AS f FROM generate_series(1, 50) v) s;
SELECT count(DISTINCT f), count(*) FROM (SELECT cuckoo_agg(v % 3, 10, 0.01) AS f FROM generate_series(1, 9) v GROUP BY v) s;
SELECT a < b AS lt, a <= b AS le, a = b AS eq, a <> b AS ne, a >= b AS ge, a > b AS gt FROM (SELECT cuckoo_empty(1, 0.1) AS a, cuckoo_empty(2, 0.1) AS b) s;

-- A stored filter is looked up by slices, then whole.
CREATE TEMP TABLE stored AS SELECT cuckoo_agg(v, 100000, 0.001) AS f FROM generate_series(1, 100000) v;
SELECT pg_column_size(f) > 100000 AS out_of_line, cuckoo_contains(f, 1) AS first, cuckoo_contains(f, 100000) AS last, cuckoo_contains(f, 0) AS absent, cuckoo_count(f, 77) AS count FROM stored;
SELECT count(*) FILTER (WHERE NOT cuckoo_contains(f, v)) AS denied, count(*) FILTER (WHERE cuckoo_count(f, v) < 1) AS uncounted FROM stored, generate_series(1, 1000) v;

-- Full: an error that says with which capacity to build again.
CALL pg_temp.fails('SELECT cuckoo_agg(v, 10, 0.01) FROM generate_series(1, 100) v');
CALL pg_temp.fails('SELECT cuckoo_agg(v, 10000, 0.01) FROM generate_series(1, 11000) v');
CALL pg_temp.fails('SELECT cuckoo_agg(v % 1000, 5000, 0.01) FROM generate_series(1, 5000) v');
CALL pg_temp.fails('SELECT cuckoo_union(f) FROM (SELECT cuckoo_agg(v, 1000, 0.01) AS f FROM generate_series(1, 1500) v GROUP BY v % 2) s');
CALL pg_temp.fails('SELECT cuckoo_agg(1, 1000, 0.01) FROM generate_series(1, 9)');
CALL pg_temp.fails('SELECT f || f FROM (SELECT cuckoo_agg(1, 1000, 0.01) AS f FROM generate_series(1, 5)) s');
-- More than twice the rate: a warning.
SELECT (cuckoo_info(cuckoo_agg(v, 10, 0.01))).items FROM generate_series(1, 30) v;

-- What is not there can't be removed.
CALL pg_temp.fails('SELECT cuckoo_remove(cuckoo_agg(1, 10, 0.001), 2)');
CALL pg_temp.fails('SELECT cuckoo_remove(''\x411000'', 2)');

-- Parameters, kinds and seeds.
CALL pg_temp.fails('SELECT cuckoo_empty(0, 0.01)');
CALL pg_temp.fails('SELECT cuckoo_empty(10, 1)');
CALL pg_temp.fails('SELECT cuckoo_empty(10, 1.9e-9)');
CALL pg_temp.fails('SELECT cuckoo_sizing(10, ''NaN'')');
CALL pg_temp.fails('SELECT cuckoo_empty(1000000000, 0.01)');
CALL pg_temp.fails('SELECT cuckoo_empty(9223372036854775807, 0.5)');
CALL pg_temp.fails('SELECT cuckoo_agg(1, NULL, 0.01)');
CALL pg_temp.fails('SELECT cuckoo_agg(v, 10, v * 0.01) FROM generate_series(1, 2) v');
CALL pg_temp.fails('SELECT cuckoo_add(''\x411000'', 1)');
CALL pg_temp.fails('SELECT cuckoo_add(cuckoo_agg(1, 10, 0.01), ''a'')');
CALL pg_temp.fails('SELECT cuckoo_contains(cuckoo_agg(1, 10, 0.01), ''a'')');
CALL pg_temp.fails('SELECT cuckoo_remove(cuckoo_agg(1, 10, 0.01), ''a'')');
CALL pg_temp.fails('SELECT cuckoo_agg(1, 10, 0.01) || cuckoo_agg(1, 11, 0.01)');
CALL pg_temp.fails('SELECT cuckoo_agg(1, 10, 0.01) || cuckoo_agg(1, 10, 0.01, 1)');
CALL pg_temp.fails('SELECT cuckoo_agg(1, 10, 0.01) || cuckoo_agg(''a''::text, 10, 0.01)');
CALL pg_temp.fails('SELECT cuckoo_agg_step(NULL, 1, 10, 0.01)');
CALL pg_temp.fails('SELECT ''\x411002''::cuckoo');
CALL pg_temp.fails('SELECT overlay(cuckoo_agg(1, 10, 0.01)::bytea PLACING ''\x02'' FROM 21)::cuckoo');
CALL pg_temp.fails('SELECT ''zz''::cuckoo');
