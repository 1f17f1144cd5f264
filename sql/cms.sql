-- Every function, operator, cast and aggregate of type cms, with a result. What a
-- sketch answers is compared with what SQL counts. The bytes shown here are file
-- format: an independent program that follows docs/FORMAT.md gives the same.

-- cms_empty: a sketch without values, with parameters or without.
SELECT cms_empty() AS bare, cms_empty(0.01, 0.1) AS empty, cms_empty(0.01, 0.1, -2) AS with_seed;
SELECT cms_empty(0.01, 0.1, 0) = cms_empty(0.01, 0.1) AS seed_defaults_to_0, cms_empty(0.01, 0.1) = cms_empty(0.011, 0.1) AS other_epsilon,
	cms_empty(0.01, 0.1) = cms_empty(0.01, 0.11) AS other_delta, cms_empty(0.001, 0.01) = cms_empty() AS parameters_are_kept,
	cms_empty(seed => 5, delta => 0.1, epsilon => 0.01) = cms_empty(0.01, 0.1, 5) AS by_name;

-- cms_agg with one to five arguments.
SELECT cms_agg(1) AS one;
SELECT cms_agg(v) AS three, cms_agg(v, v::bigint) AS weighted FROM generate_series(1, 3) v;
SELECT cms_agg(v, 0.3, 0.2) AS packed, cms_agg(v, v::bigint * v, 0.3, 0.2) AS weighted FROM generate_series(1, 30) v;
SELECT cms_agg(v::text, 1, 0.3, 0.2, -7) AS with_seed FROM generate_series(1, 30) v;
SELECT md5(cms_agg(v)::bytea) AS by_default, md5(cms_agg('value ' || v, v::bigint * v * v)::bytea) AS texts,
	md5(cms_agg(v, 5000000000, 0.0005, 0.001)::bytea) AS large
FROM generate_series(1, 5000) v;
SELECT cms_agg(v) = cms_agg(v, 1) AS weight_1, cms_agg(v) = cms_agg(v, 0.001, 0.01) AS defaults, cms_agg(v) = cms_agg(v, 1, 0.001, 0.01) AS both,
	cms_agg(v, 1, 0.001, 0.01, 0) = cms_agg(v) AS seed_0, cms_agg(v, 1, 0.001, 0.01, 1) = cms_agg(v) AS other_seed,
	cms_agg(v, 1::smallint, 0.1::real, 1e-2) = cms_agg(v, 1::bigint, 0.1::real::float8, 0.01::float8) AS types
FROM generate_series(1, 3) v;

-- Over no values: a sketch without parameters, whatever parameters were given.
SELECT cms_agg(v) AS no_rows, cms_agg(v, 5) AS weighted, cms_agg(v, 0.1, 0.1) AS with_parameters, cms_agg(v, 1, 0.1, 0.1, 5) AS with_seed,
	cms_agg(v, -1, 7, 7) AS impossible
FROM generate_series(1, 0) v;
SELECT cms_agg(v) AS nulls, cms_agg(v, NULL, NULL, NULL) AS null_parameters, cms_agg(v, -1) AS negative FROM (VALUES (NULL::text), (NULL)) t(v);
-- A NULL weight is skipped as a NULL value is; a weight of 0 adds nothing.
SELECT cms_agg(v, w) = cms_agg(v, w) FILTER (WHERE v IS NOT NULL AND w IS NOT NULL) AS skipped, cms_total(cms_agg(v, w)) AS total,
	cms_agg(v, NULL) AS all_skipped, cms_agg(v, NULL, 7, NULL) AS before_parameters_are_read
FROM (VALUES (1, 5), (NULL, 7), (2, NULL), (3, 0), (NULL, NULL), (1, 6)) t(v, w);
SELECT cms_agg(v, 0, 0.1, 0.1) = cms_empty(0.1, 0.1) AS nothing_but_0, cms_agg(v, v - 1) = cms_agg(v, v - 1) FILTER (WHERE v > 1) AS one_of_0
FROM generate_series(1, 3) v;

-- Few values in a wide sketch: exact, whatever the type, the weights and the form.
CREATE TEMP TABLE few AS SELECT v, v * v * v AS w FROM generate_series(1, 20) v;
SELECT bool_and(cms_count(s.plain, v) = 1 AND cms_count(s.twice, v) = 2) AS counts, bool_and(cms_count(s.weighted, v) = w) AS weights,
	bool_and(cms_count(s.texts, v::text) = w) AS texts, bool_and(cms_count(s.arrays, ARRAY[v, NULL]) = w) AS arrays,
	bool_and(cms_count(s.plain, -v) = 0 AND cms_count(s.texts, '-' || v) = 0) AS others, count(*)
FROM few, (SELECT cms_agg(v) AS plain, cms_agg(v) || cms_agg(v) AS twice, cms_agg(v, w) AS weighted, cms_agg(v::text, w, 0.0001, 0.01, 5) AS texts,
	cms_agg(ARRAY[v, NULL], w) AS arrays FROM few) s;
SELECT cms_count(cms_agg(v), 1) AS two, cms_count(cms_agg(v), 2) AS one, cms_count(cms_agg(v), 3) AS none, cms_count(cms_agg(v, 0.9, 0.9), 3) AS one_row
FROM (VALUES (1), (NULL), (2), (1)) t(v);
-- Equal values are one value, as for COUNT(DISTINCT).
SELECT cms_count(cms_agg(v), 1::smallint) AS integers, cms_count(cms_agg(v), 1::bigint) AS bigint FROM (VALUES (1), (1)) t(v);
SELECT cms_count(cms_agg(1.0) || cms_agg(1.00), 1.000) AS numeric, cms_count(cms_agg('a'::text) || cms_agg('a '::char(3)), 'a'::varchar) AS texts,
	cms_count(cms_agg(0::float8) || cms_agg('-0'::float8), 0::real) AS floats;

-- Never under the truth; above it by more than epsilon * N for a share of delta at
-- most: 100,000 rows of 5,000 values, the first of them in a seventh of the rows.
CREATE TEMP TABLE views AS SELECT CASE WHEN i % 7 = 0 THEN 1 ELSE 1 + i::bigint * 7919 % (1 + i % 5000) END AS book FROM generate_series(1, 100000) i;
CREATE TEMP TABLE truth AS SELECT book, count(*) AS n, sum(book % 10) AS weight FROM views GROUP BY book;
CREATE TEMP TABLE cases AS
	SELECT epsilon, delta, seed, cms_agg(book, 1, epsilon, delta, seed) AS c, cms_agg(book, book % 10, epsilon, delta, seed) AS w
	FROM views, (VALUES (0.1, 0.3), (0.01, 0.01), (0.001, 0.01), (0.0002, 0.001)) p(epsilon, delta), (VALUES (0), (77)) s(seed)
	GROUP BY epsilon, delta, seed;
SELECT epsilon, delta, count(*) FILTER (WHERE cms_count(c, book) < n) AS under, count(*) FILTER (WHERE cms_count(w, book) < weight) AS under_weighted,
	avg((cms_count(c, book) > n + epsilon * cms_total(c))::int) <= delta AS over,
	avg((cms_count(w, book) > weight + epsilon * cms_total(w))::int) <= delta AS over_weighted,
	avg((cms_count(c, -book) > epsilon * cms_total(c))::int) <= delta AS never_added,
	bool_and(cms_total(c) = 100000) AS total, bool_and(cms_total(w) = (SELECT sum(book % 10) FROM views)) AS total_weighted
FROM cases, truth GROUP BY epsilon, delta ORDER BY epsilon DESC;
-- The mean over-count is at most what a counter gets by chance, N / width = epsilon * N / e.
SELECT epsilon, bool_and(mean <= epsilon * 100000 / exp(1.0)) AS mean, bool_and(mean > 0) AS inexact
FROM (SELECT epsilon, seed, avg(cms_count(c, book) - n) AS mean FROM cases, truth GROUP BY epsilon, seed) t GROUP BY epsilon ORDER BY epsilon DESC;

-- cms_info.
SELECT c.epsilon, c.delta, i.width = ceil(exp(1.0::float8) / c.epsilon::float8) AS width, i.depth = ceil(ln(1 / c.delta)) AS depth,
	i.epsilon = c.epsilon AS same_epsilon, i.delta = c.delta AS same_delta, i.total, i.error_bound = floor(c.epsilon::float8 * 100000) AS bound,
	i.bytes = length(c.c::bytea) + 4 AS bytes, i.value_type, i.seed
FROM cases c, cms_info(c.c) i ORDER BY c.epsilon DESC, c.seed;
SELECT * FROM cms_info(cms_empty());
SELECT * FROM cms_info(cms_empty(0.25, 0.5, -9223372036854775808));
SELECT * FROM cms_info((SELECT cms_agg('x'::text, 1000000000000)));
SELECT epsilon, delta, width, depth FROM (VALUES (0.999::float8, 0.999::float8), (0.5, 0.5), (0.1, 0.1), (0.001, 0.01), (0.0001, 0.0001), (0.01, 1e-300), (1e-6, 0.01)) t(e, d),
	cms_info(cms_empty(e, d)) ORDER BY e DESC, d DESC;
SELECT value_type, count(*) FROM unnest((SELECT ARRAY[cms_agg(1::smallint), cms_agg(1), cms_agg(1::bigint), cms_agg(1.0), cms_agg(1.0::real), cms_agg('a'),
	cms_agg(date '2024-01-01'), cms_agg('{1}'::int[]), cms_agg(true), cms_agg(ROW(1))])) c, cms_info(c) GROUP BY value_type ORDER BY value_type COLLATE "C";

-- Small while few values are known, and never large.
SELECT n, bytes <= most AS small FROM (VALUES (0, 30), (1, 45), (10, 300), (5000, 20000)) t(n, most), LATERAL
	(SELECT CASE n WHEN 0 THEN pg_column_size(cms_empty(0.001, 0.01)) ELSE pg_column_size((SELECT cms_agg(v) FROM generate_series(1, n) v)) END AS bytes) s ORDER BY n;

-- cms_add: one more, or a weight more. Nothing changes for NULL and for 0.
SELECT cms_add(cms_empty(), 'a') = cms_agg('a') AS default_parameters, cms_add(cms_empty(0.1, 0.1, 5), 'a', 7) = cms_agg('a', 7, 0.1, 0.1, 5) AS its_own,
	cms_add(cms_add(cms_empty(), 1), 1, 4) = cms_agg(1, 5) AS again, cms_add(cms_empty(), 1, 0) = cms_agg(1, 0) AS weight_0, cms_add(cms_empty(), NULL) AS no_value,
	cms_add(cms_empty(), 1, NULL) AS no_weight, cms_add(NULL, 1) IS NULL AND cms_add(NULL, 1, 1) IS NULL AS no_sketch;
SELECT bool_and(cms_add(c, 5) = c || (SELECT cms_agg(v, 1, epsilon, delta, seed) FROM (VALUES (5)) t(v))) AS one,
	bool_and(cms_add(c, 5, 99) = c || (SELECT cms_agg(v, 99, epsilon, delta, seed) FROM (VALUES (5)) t(v))) AS weight,
	bool_and(cms_add(c, 5, 0) = c AND cms_add(c, NULL) = c AND cms_add(c, 5, NULL) = c) AS nothing, bool_and(cms_total(cms_add(c, 5, 99)) = 100099) AS total
FROM cases;
DO $$
DECLARE
	c cms := cms_empty();
BEGIN
	FOR v IN 1..3000 LOOP c := cms_add(c, v % 700, v); END LOOP;
	RAISE NOTICE 'one by one: %', c = (SELECT cms_agg(v % 700, v) FROM generate_series(1, 3000) v);
END
$$;

-- cms_union and ||: what building from all rows gives.
SELECT cms_union(a, b) = c AND a || b = c AND b || a = c AS parts, a || cms_empty() = a AND cms_empty() || a = a AND a || cms_empty(0.001, 0.01) = a AS empty,
	cms_empty() || cms_empty() = cms_empty() AS bare, cms_empty() || cms_empty(0.1, 0.1) = cms_empty(0.1, 0.1) AS takes_parameters,
	cms_total(a || a) = 2 * cms_total(a) AND cms_count(a || a, 1) = 2 * cms_count(a, 1) AS twice
FROM (SELECT cms_agg(book) FILTER (WHERE book <= 2000) AS a, cms_agg(book) FILTER (WHERE book > 2000) AS b, cms_agg(book) AS c FROM views) t;
SELECT cms_union(c) = (SELECT cms_agg(book) FROM views) AS aggregate, cms_union(c) FILTER (WHERE false) IS NULL AS none,
	cms_union(NULL::cms) IS NULL AS null, cms_union(c ORDER BY book DESC) = cms_union(c) AS backwards,
	cms_union(c) FILTER (WHERE book = 1) = (SELECT cms_agg(1::bigint, n) FROM truth WHERE book = 1) AS one
FROM (SELECT book, cms_agg(book) AS c FROM views GROUP BY book) t;
SELECT cms_union(c) = (SELECT cms_agg(1, 2)) AS with_empty_and_null, cms_union(c) FILTER (WHERE n IN (1, 3)) AS only_bare,
	cms_union(c) FILTER (WHERE n IN (1, 3, 5)) = cms_empty(0.001, 0.01) AS bare_and_empty
FROM (VALUES (1, cms_empty()), (2, cms_add(cms_empty(), 1)), (3, NULL), (4, cms_add(cms_empty(), 1)), (5, cms_empty(0.001, 0.01))) t(n, c);

-- cms_inner_product: never under the size of the equi-join; exact where it is wide.
CREATE TEMP TABLE joined AS SELECT 1 + i * i % 300 AS k FROM generate_series(1, 2000) i;
SELECT epsilon, bool_and(p >= truth) AS never_under, bool_and(p <= truth + epsilon * 100000 * 2000) AS within_the_bound,
	bool_and(p = mirrored) AS symmetric, bool_and(self >= (SELECT sum(n * n) FROM truth)) AS with_itself
FROM (SELECT epsilon, cms_inner_product(c, j) AS p, cms_inner_product(j, c) AS mirrored, cms_inner_product(c, c) AS self,
		(SELECT sum(n) FROM joined JOIN truth ON book = k) AS truth
	FROM cases, LATERAL (SELECT cms_agg(k, 1, epsilon, delta, seed) AS j FROM joined) j) t GROUP BY epsilon ORDER BY epsilon DESC;
SELECT cms_inner_product(a, b) AS "2 * 4 + 3 * 5", cms_inner_product(a, a) AS "1 + 4 + 9", cms_inner_product(a, c) AS nothing_in_common,
	cms_inner_product(a, cms_empty()) AS with_bare, cms_inner_product(cms_empty(0.001, 0.01), a) AS with_empty, cms_inner_product(cms_empty(), cms_empty()) AS bare
FROM (SELECT cms_agg(v, v::bigint) AS a, cms_agg(v + 1, v::bigint + 3) FILTER (WHERE v < 3) AS b, cms_agg(-v) AS c FROM generate_series(1, 3) v) t;
SELECT cms_inner_product(cms_agg(1, 3037000499), cms_agg(1, 3037000499)) AS large, cms_inner_product(cms_agg(1, 9223372036854775807), cms_agg(1)) AS largest;

-- Totals and counts up to the end of bigint.
SELECT cms_total(c), cms_count(c, 'a') AS a, cms_count(c, 'b') AS b, error_bound, c = c::text::cms AS text
FROM (SELECT cms_agg(v, w) AS c FROM (VALUES ('a', 9223372036854775806), ('b', 1)) t(v, w)) t, cms_info(c);
SELECT cms_count(c || c, 1) AS past_32_bits, cms_count(cms_add(c, 1, 3000000000), 1) AS added, cms_count(cms_add(c, 2, 9000000000000000000), 2) AS more
FROM (SELECT cms_agg(1, 3000000000) AS c) t;
SELECT bool_and(cms_count(c, v) = v * 1000000000::bigint) AS growing_past_32_bits, cms_total(c) FROM (SELECT cms_agg(v, v * 1000000000::bigint) AS c FROM generate_series(1, 10) v) t, generate_series(1, 10) v GROUP BY c;
SELECT bool_and(cms_count(c, v) >= 100000000) AS many_past_32_bits, cms_total(c) FROM (SELECT cms_agg(v, 100000000) AS c FROM generate_series(1, 2000) v) t, generate_series(1, 2000) v GROUP BY c;

-- Text and bytes, there and back.
SELECT c::text::cms = c AND c::bytea::cms = c AND c::text = '\x' || encode(c::bytea, 'hex') AND cms_send(c) = c::bytea AS "round"
FROM (VALUES (cms_empty()), (cms_add(cms_empty(), 1)), (cms_add(cms_empty(0.1, 0.1, 7), 'x', 5000000000))) t(c);
