-- Every error that a call can raise: its SQLSTATE, its words, its hint. Types and
-- collations that are refused, and malformed bytes, have tests of their own.

\i test/sql/fails.sql

-- Precision out of range.
CALL pg_temp.fails('SELECT hll_empty(3)');
CALL pg_temp.fails('SELECT hll_empty(19, 5)');
CALL pg_temp.fails('SELECT hll_empty(-2147483648)');
CALL pg_temp.fails('SELECT hll_agg(1, 3)');
CALL pg_temp.fails('SELECT hll_agg(''a''::text, 19, 5)');
CALL pg_temp.fails('SELECT approx_count_distinct(1, 0)');
CALL pg_temp.fails('SELECT hll_agg(1, 2147483647) OVER ()');
CALL pg_temp.fails('SELECT hll_reduce(hll_empty(14), 3)');
CALL pg_temp.fails('SELECT hll_reduce(hll_empty(), 19)');
SELECT (hll_info(hll_empty(4))).precision AS lowest, (hll_info(hll_empty(18))).precision AS highest;
-- Parameters that are NULL. A function is NULL for a NULL argument.
CALL pg_temp.fails('SELECT hll_agg(1, NULL)');
CALL pg_temp.fails('SELECT hll_agg(1, NULL, 5)');
CALL pg_temp.fails('SELECT hll_agg(1, 14, NULL)');
CALL pg_temp.fails('SELECT approx_count_distinct(1, NULL)');
CALL pg_temp.fails('SELECT approx_count_distinct(1, NULL) OVER ()');
SELECT hll_empty(NULL) IS NULL AND hll_empty(14, NULL) IS NULL AND hll_reduce(hll_empty(14), NULL) IS NULL AS functions;
-- Parameters that change within a group; where there is no value, none are recorded.
CALL pg_temp.fails('SELECT hll_agg(v, 10 + v) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT approx_count_distinct(v, 10 + v) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT hll_agg(v, 14, v - 2) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT hll_agg(v, CASE v WHEN 3 THEN NULL ELSE 14 END) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT hll_agg(v, CASE v WHEN 3 THEN 99 ELSE 14 END) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT hll_agg(v, 10 + v) OVER (ORDER BY v) FROM generate_series(1, 3) v');
SELECT hll_count(hll_agg(v, p, s)) AS changes_without_a_value
FROM (VALUES (NULL, 99, 1), (1, 12, 5), (NULL, NULL, NULL), (2, 12, 5), (NULL, 13, 6)) t(v, p, s);
SELECT hll_count(hll_agg(v, 10 + v % 2)) AS one_for_each_group FROM generate_series(1, 10) v GROUP BY v % 2;

-- Sketches that do not go together: precision, then seed, then kind of value.
CREATE TEMP TABLE sketches AS
	SELECT hll_agg(v) AS h, hll_agg(v, 12) AS precision, hll_agg(v, 14, 5) AS seed, hll_agg(v::text) AS kind,
		hll_agg(ARRAY[v]) AS arrays, hll_agg(int4range(v, v + 1)) AS ranges,
		hll_agg(int4multirange(int4range(v, v + 1))) AS multiranges, hll_agg(v::text, 12, 5) AS all
	FROM generate_series(1, 3) v;
CALL pg_temp.fails('SELECT h || precision FROM sketches');
CALL pg_temp.fails('SELECT precision || h FROM sketches');
CALL pg_temp.fails('SELECT hll_union(h, seed) FROM sketches');
CALL pg_temp.fails('SELECT hll_union(seed, h) FROM sketches');
CALL pg_temp.fails('SELECT h || kind FROM sketches');
CALL pg_temp.fails('SELECT kind || arrays FROM sketches');
CALL pg_temp.fails('SELECT ranges || multiranges FROM sketches');
CALL pg_temp.fails('SELECT h || "all" FROM sketches');
CALL pg_temp.fails('SELECT hll_union(u) FROM sketches, LATERAL (VALUES (h), (precision)) t(u)');
CALL pg_temp.fails('SELECT hll_union(u) FROM sketches, LATERAL (VALUES (hll_empty()), (h), (seed)) t(u)');
CALL pg_temp.fails('SELECT hll_union(u) FROM sketches, LATERAL (VALUES (hll_empty(14)), (h), (kind)) t(u)');
CALL pg_temp.fails('SELECT hll_union(u) OVER () FROM sketches, LATERAL (VALUES (h), (kind)) t(u)');
-- Empty ones with parameters differ in those.
CALL pg_temp.fails('SELECT hll_empty(12) || hll_empty(13)');
CALL pg_temp.fails('SELECT hll_empty(12) || hll_empty(12, -1)');
CALL pg_temp.fails('SELECT h || hll_empty(13) FROM sketches');
CALL pg_temp.fails('SELECT hll_empty(14, 7) || h FROM sketches');
-- Dense ones.
CALL pg_temp.fails('SELECT hll_agg(v, 4) || hll_agg(v, 5) FROM generate_series(1, 100) v');
CALL pg_temp.fails('SELECT hll_agg(v, 4, 1) || hll_agg(v, 4, 2) FROM generate_series(1, 100) v');
CALL pg_temp.fails('SELECT hll_agg(v, 4) || hll_agg(v::text, 4) FROM generate_series(1, 100) v');
-- A value of another kind.
CALL pg_temp.fails('SELECT hll_add(h, ''a'') FROM sketches');
CALL pg_temp.fails('SELECT hll_add(h, 1.0) FROM sketches');
CALL pg_temp.fails('SELECT hll_add(kind, 1) FROM sketches');
CALL pg_temp.fails('SELECT hll_add(kind, ''x''::"char") FROM sketches');
CALL pg_temp.fails('SELECT hll_add(h, ARRAY[1]) FROM sketches');
CALL pg_temp.fails('SELECT hll_add(arrays, ''{{a}}''::text[]) FROM sketches');
CALL pg_temp.fails('SELECT hll_add(ranges, ''[1,2)''::numrange) FROM sketches');
CALL pg_temp.fails('SELECT hll_add(h, ROW(1)) FROM sketches');
CALL pg_temp.fails('SELECT hll_add(hll_agg(ARRAY[int4range(1, 2)]), ARRAY[1])');
-- The way out that the hints name.
SELECT # (hll_reduce(h, 12) || precision) AS reduced, # hll_add(kind, 1::text) AS cast FROM sketches;
-- Precision can only be reduced.
CALL pg_temp.fails('SELECT hll_reduce(precision, 13) FROM sketches');
CALL pg_temp.fails('SELECT hll_reduce(hll_empty(4), 18)');

-- Step functions write into their first argument, and so belong to aggregates alone.
CALL pg_temp.fails('SELECT hll_agg_step(hll_empty(), 1)');
CALL pg_temp.fails('SELECT hll_agg_step(NULL, 1)');
CALL pg_temp.fails('SELECT hll_agg_step(h, NULL::text, 12) FROM sketches');
CALL pg_temp.fails('SELECT hll_agg_step(h, ''a'', 14, 0) FROM sketches');
CALL pg_temp.fails('SELECT hll_union_step(h, h) FROM sketches');
CALL pg_temp.fails('SELECT hll_union_step(NULL, NULL)');
CALL pg_temp.fails('SELECT sum(hll_count(hll_union_step(h, h))) FROM sketches');
CALL pg_temp.fails('SELECT hll_count(hll_union(hll_agg_step(h, 1))) FROM sketches');
-- An aggregate made by hand may begin with a sketch, which every value must go with.
CREATE AGGREGATE pg_temp.onto_one(int) (SFUNC = hll_agg_step, STYPE = hll, FINALFUNC = hll_agg_final,
	INITCOND = '\x1110020e0164f1be02');
CREATE AGGREGATE pg_temp.onto_one(text) (SFUNC = hll_agg_step, STYPE = hll, FINALFUNC = hll_agg_final,
	INITCOND = '\x1110020e0164f1be02');
CREATE AGGREGATE pg_temp.onto_one(int, int) (SFUNC = hll_agg_step, STYPE = hll, FINALFUNC = hll_agg_final,
	INITCOND = '\x1110020e0164f1be02');
SELECT pg_temp.onto_one(v) = hll_agg(v) AS from_one, pg_temp.onto_one(v) FILTER (WHERE v > 1) = hll_agg(v) AS from_two,
	pg_temp.onto_one(v, 14) = hll_agg(v) AS same_precision, pg_temp.onto_one(NULL::int) = hll_agg(1) AS nothing_more
FROM generate_series(1, 3) v;
CALL pg_temp.fails('SELECT pg_temp.onto_one(''a'')');
CALL pg_temp.fails('SELECT pg_temp.onto_one(1, 12)');
-- Final functions write nothing: anybody may call them.
SELECT hll_agg_final(h) = h AND hll_union_final(h) = h AS same, hll_count_final(h) AS count,
	hll_agg_final(NULL) = hll_empty() AS nothing, hll_union_final(NULL) IS NULL AS no_sketch, hll_count_final(NULL) AS zero
FROM sketches;

-- NULL everywhere else.
SELECT bool_and(result IS NULL) AS all_null, count(*) FROM (VALUES
	(hll_count(NULL)::text), ((# NULL::hll)::text), (hll_union(NULL, hll_empty())::text), (hll_union(hll_empty(), NULL)::text),
	((NULL || hll_empty())::text), ((hll_empty() || NULL)::text), (hll_add(NULL, 1)::text), (hll_add(NULL, NULL)::text),
	(hll_reduce(NULL, 10)::text), (hll_info(NULL)::text), (hll_empty(NULL)::text), (hll_empty(NULL, 1)::text),
	(sketch_hash(NULL)::text), (sketch_hash(NULL::int[])::text), (sketch_hash(1, NULL)::text), (NULL::hll::bytea::text),
	(NULL::bytea::hll::text), ((NULL::hll = NULL::hll)::text), (hll_cmp(NULL, NULL)::text), (hll_hash(NULL)::text)) t(result);
-- Aggregates: over no rows, over NULL, with a FILTER that leaves none, in a window without rows.
SELECT hll_agg(v) = hll_empty() AS agg, approx_count_distinct(v) AS count, hll_union(h) IS NULL AS union
FROM (SELECT 1 AS v, hll_empty() AS h WHERE false) t;
SELECT hll_agg(v) = hll_empty() AS agg, approx_count_distinct(v) AS count, hll_union(h) IS NULL AS union
FROM (VALUES (NULL::text, NULL::hll), (NULL, NULL)) t(v, h);
SELECT hll_agg(v) FILTER (WHERE v > 9) = hll_empty() AS agg, approx_count_distinct(v) FILTER (WHERE v > 9) AS count,
	hll_union(h) FILTER (WHERE v > 9) IS NULL AS union
FROM (VALUES (1, hll_empty(12)), (2, hll_empty(13))) t(v, h);
SELECT hll_agg(v) OVER w = hll_empty() AS agg, approx_count_distinct(v) OVER w AS count, hll_union(h) OVER w IS NULL AS union
FROM (VALUES (1, hll_empty(12)), (2, hll_empty(12))) t(v, h) WINDOW w AS (ORDER BY v ROWS BETWEEN 9 FOLLOWING AND 9 FOLLOWING);
SELECT g, hll_agg(v) = hll_empty() AS agg, hll_union(h) IS NULL AS union
FROM (VALUES (1, NULL::int, NULL::hll), (2, 1, hll_empty(12))) t(g, v, h) GROUP BY g ORDER BY g;

-- After any of these the session is as good as new.
SELECT approx_count_distinct(v) AS three FROM generate_series(1, 3) v;
