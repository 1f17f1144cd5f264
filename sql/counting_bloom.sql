-- Every function, operator, cast and aggregate of type counting_bloom, with a result.
-- The bytes and sizes shown here are file format: an independent program that follows
-- docs/FORMAT.md gives the same.

-- counting_bloom_sizing: what a filter will take, with as many counters as a bloom has bits.
SELECT n, rate, s.counters = b.bits AS as_bloom, s.hashes = b.hashes AS hashes, round(s.bits_per_value::numeric, 1) AS bits_per_value
FROM (VALUES (1000), (1000000)) c(n), (VALUES (0.1), (0.01), (0.001), (1e-6)) r(rate),
	counting_bloom_sizing(n, rate) s, bloom_sizing(n, rate) b
ORDER BY n, rate DESC;
SELECT n, rate, abs(pg_column_size(counting_bloom_agg(v, n, rate))::float8 / (counting_bloom_sizing(n, rate)).bytes - 1) < 0.02 AS as_built
FROM (VALUES (1000), (50000)) c(n), (VALUES (0.1), (0.01), (1e-6)) r(rate), generate_series(1, n) v GROUP BY n, rate ORDER BY n, rate DESC;
SELECT counting_bloom_sizing(NULL, 0.01) IS NULL AND counting_bloom_sizing(1, NULL) IS NULL AS null_gives_null;

-- counting_bloom_empty: a filter without values, with a seed or none.
SELECT counting_bloom_empty(10, 0.01) AS empty, counting_bloom_empty(seed => -2, false_positive_rate => 0.01, capacity => 10) AS with_seed;

-- counting_bloom_agg with three and four arguments.
SELECT counting_bloom_agg(v, 10, 0.01) AS three FROM generate_series(1, 3) v;
SELECT counting_bloom_agg(v % 3, 10, 0.01, 42) AS three_with_copies FROM generate_series(1, 100) v;
SELECT md5(counting_bloom_agg(v, 1000, 0.0001)::bytea) AS large_blocks, md5(counting_bloom_agg('value ' || v, 100000, 0.01, 7)::bytea) AS texts
FROM generate_series(1, 1000) v;
SELECT counting_bloom_agg(v, 10, 0.01) AS no_rows, counting_bloom_agg(v, 0, 7, NULL) AS impossible FROM generate_series(1, 0) v;
SELECT counting_bloom_agg(v, 10, 0.01) = counting_bloom_agg(v, 10, 0.01) FILTER (WHERE v IS NOT NULL) AS nulls_are_skipped,
	counting_bloom_agg(v, 10, 0.01) = counting_bloom_agg(DISTINCT v, 10, 0.01) AS copies_are_not
FROM (VALUES (1), (NULL), (2), (NULL), (2)) t(v);

-- counting_bloom_contains and counting_bloom_count: also of filters that are stored apart.
CREATE TEMP TABLE cases AS
	SELECT n, rate, counting_bloom_agg(v, n, rate) || counting_bloom_agg(v, n, rate) FILTER (WHERE v <= 100) AS f
	FROM (VALUES (100), (10000)) a(n), (VALUES (0.1), (0.01), (0.0001)) b(rate), generate_series(1, n) v
	GROUP BY n, rate;
SELECT n, rate, count(*) FILTER (WHERE NOT counting_bloom_contains(f, v)) AS denied,
	bool_and(counting_bloom_count(f, v) >= CASE WHEN v <= 100 THEN 2 ELSE 1 END) AS copies,
	bool_and((counting_bloom_count(f, -v) > 0) = counting_bloom_contains(f, -v)) AS agree,
	count(*) FILTER (WHERE counting_bloom_contains(f, -v)) <= n * rate * 1.05 + 4 * sqrt(n * rate) + 1 AS seldom_wrong
FROM cases, generate_series(1, n) v GROUP BY n, rate ORDER BY n, rate;
-- Each look-up in a transaction of its own, which reads slices.
SELECT counting_bloom_contains(f, 77) AS contains, counting_bloom_count(f, 77) AS count FROM cases WHERE n = 10000 AND rate = 0.0001;
SELECT counting_bloom_contains(f, -1) AS contains, counting_bloom_count(f, -1) AS count FROM cases WHERE n = 10000 AND rate = 0.0001;
SELECT counting_bloom_contains(NULL, 1) IS NULL AND counting_bloom_count(NULL, 1) IS NULL AND counting_bloom_contains(f, NULL::int) IS NULL
	AND counting_bloom_count(f, NULL) IS NULL AS null_gives_null, counting_bloom_contains(counting_bloom_empty(10, 0.01), 'a') AS empty,
	counting_bloom_count('\x311000', 1) AS without_parameters
FROM cases WHERE n = 100 AND rate = 0.1;

-- counting_bloom_add and counting_bloom_remove: what counting_bloom_agg gives of what is left.
SELECT counting_bloom_add(counting_bloom_empty(10, 0.01), 1) = counting_bloom_agg(1, 10, 0.01) AS plain,
	counting_bloom_add(counting_bloom_empty(10, 0.0001, 5), 'a') = counting_bloom_agg('a'::text, 10, 0.0001, 5) AS text_with_seed,
	counting_bloom_remove(counting_bloom_agg(1, 10, 0.01), 1) = counting_bloom_empty(10, 0.01) AS nothing_is_left;
SELECT n, rate, bool_and(counting_bloom_remove(counting_bloom_add(f, -v), -v) = f) AS and_back,
	bool_and(counting_bloom_count(counting_bloom_remove(f, v), v) >= 1) AS a_copy_is_left,
	bool_and(counting_bloom_add(counting_bloom_remove(f, v), v) = f) AS and_forth
FROM cases, generate_series(1, 20) v GROUP BY n, rate ORDER BY n, rate;
SELECT counting_bloom_add(f, NULL::int) = f AND counting_bloom_remove(f, NULL::int) = f AS null_value,
	counting_bloom_add(NULL, 1) IS NULL AND counting_bloom_remove(NULL, 1) IS NULL AND counting_bloom_try_remove(NULL, 1) IS NULL AS null_filter
FROM cases WHERE n = 100 AND rate = 0.1;
SELECT counting_bloom_remove(counting_bloom_agg(1, 10, 0.01), 2);
SELECT counting_bloom_remove('\x311000', 2);
SELECT counting_bloom_add('\x311000', 2);

-- counting_bloom_try_remove: says whether there was one.
SELECT v, t.removed, t.filter = f AS left_as_it_was, t.filter = counting_bloom_empty(10, 0.01) AS emptied
FROM (SELECT counting_bloom_agg(1, 10, 0.01) AS f) f, (VALUES (1), (2), (NULL)) v(v), counting_bloom_try_remove(f, v) t ORDER BY v;
SELECT * FROM counting_bloom_try_remove('\x311000', 2);
SELECT removed, counting_bloom_count(filter, 5) FROM cases, counting_bloom_try_remove(f, 5) WHERE n = 10000 AND rate = 0.0001;

-- A counter that has reached 15 is stuck: the value stays for good.
SELECT count, (counting_bloom_info(f)).counters_stuck, counting_bloom_count(f, 1) AS copies, f::text::counting_bloom = f AS back
FROM (SELECT count(*), counting_bloom_agg(1, 100, 0.01) AS f FROM generate_series(1, 14)
	UNION ALL SELECT count(*), counting_bloom_agg(1, 100, 0.01) FROM generate_series(1, 20)) t ORDER BY count;
SELECT counting_bloom_remove(counting_bloom_agg(1, 100, 0.01), 1) = counting_bloom_agg(1, 100, 0.01) AS stays FROM generate_series(1, 15);

-- counting_bloom_union: function, operator and aggregate add copies up.
CREATE TEMP TABLE parts AS
	SELECT part, counting_bloom_agg(part * 60 + v, 1000, 0.01) AS f FROM generate_series(0, 3) part, generate_series(1, 100) v GROUP BY part;
SELECT counting_bloom_union(f) = (SELECT counting_bloom_agg(part * 60 + v, 1000, 0.01) FROM generate_series(0, 3) part, generate_series(1, 100) v) AS as_built,
	counting_bloom_union(f ORDER BY part DESC) = counting_bloom_union(f) AS any_order,
	counting_bloom_union(f) FILTER (WHERE part = 2) = (SELECT f FROM parts WHERE part = 2) AS one,
	counting_bloom_union(f) FILTER (WHERE part > 3) IS NULL AS none
FROM parts;
SELECT a.f || b.f = counting_bloom_union(a.f, b.f) AS operator, a.f || b.f = b.f || a.f AS commutes,
	a.f || '\x311000' = a.f AND '\x311000' || a.f = a.f AND a.f || counting_bloom_empty(1000, 0.01) = a.f AS empty
FROM parts a, parts b WHERE a.part = 0 AND b.part = 1;
SELECT counting_bloom_union(f) = '\x311000' AS no_parameters FROM (VALUES ('\x311000'::counting_bloom), ('\x311000')) t(f);
SELECT counting_bloom_agg(1, 10, 0.01) || counting_bloom_agg(1, 11, 0.01);
SELECT counting_bloom_agg(1, 10, 0.01) || counting_bloom_agg(1, 10, 0.01, 1);
SELECT counting_bloom_agg(1, 10, 0.01) || counting_bloom_agg('a'::text, 10, 0.01);

-- The cast to bloom: what bloom_agg makes of the values that are left.
SELECT counting_bloom_agg(v, 1000, rate)::bloom = bloom_agg(v, 1000, rate) AS of_all,
	counting_bloom_remove(counting_bloom_agg(v, 1000, rate), 500)::bloom = bloom_agg(v, 1000, rate) FILTER (WHERE v <> 500) AS of_the_others
FROM generate_series(1, 1000) v, (VALUES (0.01), (1e-5)) r(rate) GROUP BY rate;
SELECT '\x311000'::counting_bloom::bloom AS without_parameters, counting_bloom_empty(10, 0.01, 3)::bloom = bloom_empty(10, 0.01, 3) AS empty;

-- counting_bloom_info
SELECT capacity, target_rate, round(expected_rate::numeric, 5) AS expected_rate, items, counters, counters_set, counters_stuck,
	round(fill_ratio::numeric, 3) AS fill_ratio, hashes, bytes = pg_column_size(f) AS bytes, saturated, value_type, seed
FROM (SELECT counting_bloom_agg(v, 100, 0.01) AS f FROM generate_series(1, 100) v) t, counting_bloom_info(f) i;
SELECT * FROM counting_bloom_info(counting_bloom_empty(100, 0.0001, 9));
SELECT * FROM counting_bloom_info('\x311000');

-- Far more values than it was made for are worth a warning.
SELECT (counting_bloom_info(counting_bloom_agg(v, 100, 0.01))).saturated FROM generate_series(1, 300) v;

-- Parameters.
SELECT counting_bloom_agg(1, 0.01);
SELECT counting_bloom_agg(1, 0, 0.01);
SELECT counting_bloom_empty(10, 1);
SELECT counting_bloom_empty(300000000, 0.01);
SELECT counting_bloom_agg(v, 10 + v, 0.01) FROM generate_series(1, 2) v;
SELECT counting_bloom_contains(counting_bloom_agg(1, 10, 0.01), 'a');

-- The state of an aggregate, as one without a final function hands it out.
CREATE AGGREGATE unfinished(bigint, bigint, double precision) (SFUNC = counting_bloom_agg_step, STYPE = counting_bloom);
SELECT n, u = f AS at_rest, u::text::counting_bloom = f AND u::bytea::counting_bloom = f AS comes_to_rest,
	counting_bloom_contains(u, 3) AND counting_bloom_count(u, 3) = counting_bloom_count(f, 3) AND u::bloom = f::bloom
	AND counting_bloom_info(u) = counting_bloom_info(f) AS answers,
	u || u = f || f AND counting_bloom_add(u, -1) = counting_bloom_add(f, -1) AND counting_bloom_remove(u, 3) = counting_bloom_remove(f, 3)
	AND (counting_bloom_try_remove(u, NULL)).filter = f AS changes
FROM (SELECT n, unfinished(v, 100, 0.01) AS u, counting_bloom_agg(v::bigint, 100, 0.01) AS f
	FROM (VALUES (15), (16), (100)) c(n), generate_series(1, n) v GROUP BY n) t ORDER BY n;
DROP AGGREGATE unfinished(bigint, bigint, double precision);

-- Casts to and from bytea, and the text form.
SELECT bool_and(f::bytea::counting_bloom = f AND f::text::counting_bloom = f AND counting_bloom_send(f) = f::bytea) AS both_ways, count(*) FROM cases;
SELECT '\x31'::counting_bloom;
SELECT '\x211000'::counting_bloom;
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast WHERE 'counting_bloom'::regtype IN (castsource, casttarget) ORDER BY 1, 2;

-- Everything is immutable, safe in parallel plans and commented; STORAGE external.
SELECT count(*) > 40 AS many, bool_and(provolatile = 'i' AND proparallel = 's') AS immutable_and_safe,
	bool_and(obj_description(oid, 'pg_proc') IS NOT NULL) AS commented
FROM pg_proc WHERE proname LIKE 'counting\_bloom\_%';
SELECT typstorage, typlen FROM pg_type WHERE oid = 'counting_bloom'::regtype;
SELECT DISTINCT proname FROM pg_proc WHERE proname LIKE 'counting\_bloom\_%' AND NOT proisstrict AND prokind = 'f' ORDER BY proname;

-- The same bytes from parallel workers, whose states are united.
CREATE TABLE counted AS SELECT v % 9000 AS v FROM generate_series(1, 20000) v;
SELECT counting_bloom_agg(v, 20000, 0.01) AS serial FROM counted \gset
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT counting_bloom_agg(v, 20000, 0.01) = :'serial'::counting_bloom AS parallel FROM counted;
DROP TABLE counted;
