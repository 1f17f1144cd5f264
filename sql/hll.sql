-- Every function, operator, cast and aggregate of type hll, with a result.
-- The bytes shown here are file format: an independent program that follows
-- docs/FORMAT.md gives the same.

-- hll_empty: without parameters, with a precision, with a seed too.
SELECT hll_empty() AS none, hll_empty(12) AS precision, hll_empty(12, 5) AS precision_and_seed;
SELECT hll_empty(12, 0) = hll_empty(12) AS seed_defaults_to_0,
	hll_empty() = hll_empty(14) AS parameters_by_default;

-- hll_agg with one, two and three arguments.
SELECT hll_agg(v) AS three FROM generate_series(1, 3) v;
SELECT hll_agg(v, 14, 42) AS three_with_seed FROM generate_series(1, 3) v;
SELECT hll_agg(v, 4) AS dense FROM generate_series(1, 100) v;
SELECT hll_agg(v) = hll_agg(v, 14) AND hll_agg(v, 14) = hll_agg(v, 14, 0) AS defaults,
	hll_agg(v) = hll_agg(v, 13) AS other_precision,
	hll_agg(v) = hll_agg(v, 14, 1) AS other_seed
FROM generate_series(1, 3) v;

-- Over no values: a sketch without parameters, whatever parameters were given.
SELECT hll_agg(v) = hll_empty() AS plain,
	hll_agg(v, 12) = hll_empty() AS precision,
	hll_agg(v, 12, 5) = hll_empty() AS precision_and_seed,
	hll_agg(NULL::int) = hll_empty() AS constant_null
FROM generate_series(1, 0) v;
SELECT hll_agg(v) = hll_empty() AS nulls_only, hll_agg(v, 12, 5) = hll_empty() AS with_parameters
FROM (VALUES (NULL::int), (NULL)) t(v);
SELECT hll_agg(v, 12) = hll_agg(v, 12) FILTER (WHERE v IS NOT NULL) AS nulls_are_skipped,
	hll_count(hll_agg(v, 12)) AS two
FROM (VALUES (1), (NULL), (2), (NULL)) t(v);

-- hll_count and #: exact while small, 0 over nothing.
SELECT hll_count(hll_empty()) AS none, # hll_empty(12) AS nothing;
SELECT n, hll_count(hll_agg(v)), # hll_agg(v) = hll_count(hll_agg(v)) AS operator
FROM (VALUES (1), (2), (10), (100), (1000)) t(n), generate_series(1, n) v
GROUP BY n ORDER BY n;
-- Large: within 4 standard errors.
SELECT p, abs(hll_count(hll_agg(v, p)) / 100000.0 - 1) < 4 * 1.04 / sqrt(2 ^ p) AS close
FROM generate_series(4, 18) p, generate_series(1, 100000) v
GROUP BY p ORDER BY p;

-- approx_count_distinct: hll_count(hll_agg()) in one step.
SELECT approx_count_distinct(v % 70) AS seventy,
	approx_count_distinct(v % 70, 12) AS seventy_too,
	approx_count_distinct(v, 8) = hll_count(hll_agg(v, 8)) AS same
FROM generate_series(1, 1000) v;
SELECT approx_count_distinct(v) AS no_rows, approx_count_distinct(v, 12) AS no_rows_too
FROM generate_series(1, 0) v;
SELECT approx_count_distinct(v) AS nulls FROM (VALUES (NULL::text), (NULL)) t(v);

-- hll_add: what hll_agg gives, with default parameters on a sketch without any.
SELECT hll_add(hll_empty(), 1) = hll_agg(v) AS defaults,
	hll_add(hll_empty(12), 1) = hll_agg(v, 12) AS precision,
	hll_add(hll_empty(12, 5), 1) = hll_agg(v, 12, 5) AS precision_and_seed,
	hll_add(hll_empty(), 'a') = hll_agg('a'::text) AS text,
	hll_add(hll_add(hll_empty(), 1), 2) = hll_add(hll_add(hll_empty(), 2), 1) AS any_order
FROM (VALUES (1)) t(v);
-- A value that is there already, or whose register is as high: the sketch itself.
SELECT bool_and(hll_add(h, n) = h) AS sparse, bool_and(hll_add(d, n) = d) AS dense, count(*)
FROM (SELECT hll_agg(v) AS h, hll_agg(v, 4) AS d FROM generate_series(1, 1000) v) t, generate_series(1, 1000) n
GROUP BY h, d;
SELECT count(*) FILTER (WHERE hll_add(d, n) = d) > 900 AS most_other_values_too,
	bool_and((hll_add(d, n) = d) = (hll_count(hll_add(d, n)) = hll_count(d))) AS or_the_estimate_changes
FROM (SELECT hll_agg(v, 4) AS d FROM generate_series(1, 1000) v) t, generate_series(1001, 2000) n;
SELECT hll_add(h, NULL::int) = h AS null_value, hll_add(NULL, 1) IS NULL AS null_sketch,
	hll_add(h, NULL) = h AS null_of_no_type, hll_add(hll_empty(), NULL) = hll_empty() AS to_nothing
FROM (SELECT hll_agg(1) AS h) t;

-- hll_union: function, operator and aggregate.
CREATE TEMP TABLE parts AS
	SELECT part, hll_agg(part * 60 + v) AS h FROM generate_series(0, 3) part, generate_series(1, 100) v
	GROUP BY part;
SELECT hll_count(hll_union(a.h, b.h)) AS hundred_and_sixty,
	hll_union(a.h, b.h) = a.h || b.h AS operator,
	a.h || b.h = b.h || a.h AS commutes,
	a.h || a.h = a.h AS idempotent
FROM parts a, parts b WHERE a.part = 0 AND b.part = 1;
SELECT hll_count(hll_union(h)) AS two_hundred_and_eighty,
	hll_union(h) = (SELECT hll_agg(v) FROM generate_series(1, 280) v) AS as_built
FROM parts;
SELECT hll_union(h) IS NULL AS no_sketches FROM parts WHERE part > 3;
SELECT hll_union(NULL::hll) IS NULL AS only_null;
SELECT hll_union(h) = (SELECT h FROM parts WHERE part = 1) AS null_is_skipped
FROM (VALUES (NULL), ((SELECT h FROM parts WHERE part = 1)), (NULL)) t(h);
SELECT hll_union(h, NULL) IS NULL AND NULL || h IS NULL AS null_with_a_sketch FROM parts WHERE part = 0;

-- An empty sketch unites with any; parameters of one side are kept.
SELECT h || hll_empty() = h AND hll_empty() || h = h AS without_parameters,
	h || hll_empty(14) = h AND hll_empty(14) || h = h AS with_parameters,
	hll_empty() || hll_empty() = hll_empty() AS both_without,
	hll_empty() || hll_empty(12, 5) = hll_empty(12, 5) AS one_without,
	hll_empty(12, 5) || hll_empty(12, 5) = hll_empty(12, 5) AS both_with
FROM parts WHERE part = 0;
SELECT hll_union(h) = hll_empty() AS none_has_parameters
FROM (VALUES (hll_empty()), (hll_empty())) t(h);
SELECT hll_union(h) = hll_empty(12, 5) AS one_has_parameters
FROM (VALUES (hll_empty()), (hll_empty(12, 5)), (hll_empty())) t(h);
SELECT hll_union(h) = hll_add(hll_empty(12), 1) AS one_has_a_value
FROM (VALUES (hll_empty()), (hll_empty(12)), (hll_add(hll_empty(12), 1)), (hll_empty(12)), (hll_empty())) t(h);

-- hll_reduce: what building at the lower precision gives.
SELECT hll_reduce(hll_agg(v), 10) = hll_agg(v, 10) AS ten, hll_reduce(hll_agg(v), 14) = hll_agg(v) AS same,
	hll_reduce(hll_agg(v, 16, 5), 4) = hll_agg(v, 4, 5) AS four
FROM generate_series(1, 5000) v;
SELECT hll_reduce(hll_empty(14, 5), 12) = hll_empty(12, 5) AS empty,
	hll_reduce(hll_empty(), 12) = hll_empty() AS without_parameters,
	hll_reduce(NULL, 12) IS NULL AND hll_reduce(hll_empty(), NULL) IS NULL AS nulls;

-- hll_info of each representation.
CREATE FUNCTION pg_temp.info(hll, OUT p int, OUT error numeric, OUT form text, OUT used int, OUT kind text, OUT seed bigint)
	AS $$
	SELECT "precision", round(standard_error::numeric, 6), representation, registers_used, value_type, seed
	FROM hll_info($1)
	$$ LANGUAGE sql;
SELECT what, (pg_temp.info(h)).*
FROM (VALUES
	(1, 'nothing, no parameters', hll_empty()),
	(2, 'nothing', hll_empty(12)),
	(3, 'nothing, seed', hll_empty(18, -5)),
	(4, 'one value', (SELECT hll_agg(1))),
	(5, 'one text, seed', (SELECT hll_agg('a'::text, 10, 9223372036854775807))),
	(6, 'three values', (SELECT hll_agg(v) FROM generate_series(1, 3) v)),
	(7, 'two in 16 registers', (SELECT hll_agg(v, 4) FROM generate_series(1, 2) v)),
	(8, 'three in 16 registers', (SELECT hll_agg(v, 4) FROM generate_series(1, 3) v)),
	(9, 'all of 16 registers', (SELECT hll_agg(v, 4) FROM generate_series(1, 100) v)),
	(10, 'arrays', (SELECT hll_agg(ARRAY[1, 2])))) t(n, what, h)
ORDER BY n;
SELECT hll_info(NULL) IS NULL AS null_gives_null, (hll_info(NULL)).representation IS NULL AS null_gives_nulls;
-- The size in bytes is that of the stored value, with its length word of 4.
SELECT (hll_info(hll_empty())).bytes AS none, (hll_info(hll_empty(14, 5))).bytes AS with_seed,
	(hll_info((SELECT hll_agg(1)))).bytes <= 16 AS one_value;
SELECT (hll_info(h)).bytes = 4 + length(h::bytea) AS bytes, length(h::bytea) / 1000.0 <= 2.4 AS small,
	(hll_info(d)).bytes = 4 + length(d::bytea) AS bytes_too, length(d::bytea) BETWEEN 4000 AND 4300 AS bounded
FROM (SELECT hll_agg(v) FILTER (WHERE v <= 1000) AS h, hll_agg(v) AS d FROM generate_series(1, 9999) v) t;
-- Dense registers are coded, the fuller the longer: 3 bits each at the most, and no sketch is larger than is promised.
SELECT p, bool_and((hll_info(h)).bytes <= promised) AS bounded, max(length(h::bytea) * 8 / 2 ^ p) BETWEEN 2.83 AND 3 AS bits, count(*)
FROM (SELECT p, promised, hll_agg(v, p) AS h
	FROM (VALUES (10, 410), (12, 1560), (14, 6200)) t(p, promised), unnest(ARRAY[2049, 2500, 5000, 20000, 70000, 100000, 140000]) n,
		LATERAL generate_series(1, n) v GROUP BY p, promised, n) t
GROUP BY p ORDER BY p;
-- As many registers are in use as their definition says: the hash's top bits.
SELECT p, (hll_info(hll_agg(v, p))).registers_used = count(DISTINCT sketch_hash(v) >> (64 - p)) AS sparse_or_dense
FROM (VALUES (10), (14), (18)) t(p), (SELECT v FROM generate_series(1, 2000) v) u
GROUP BY p ORDER BY p;

-- Casts to and from bytea, and the text form, whatever bytea_output says.
SELECT h::bytea, h::bytea::hll = h AS back, h::text::hll = h AS text_and_back, '\x1110020E0164F1BE02'::hll = h AS upper_case
FROM (SELECT hll_agg(1) AS h) t;
SELECT bool_and(h::bytea::hll = h AND h::text::hll = h AND hll_from_bytea(h::bytea) = h
	AND hll_send(h) = h::bytea) AS both_ways, count(*)
FROM (SELECT hll_agg(v, p, s) AS h
	FROM (VALUES (4), (14), (18)) t(p), (VALUES (0), (7)) u(s), (VALUES (1), (2), (3), (3000), (40000)) w(n),
		generate_series(1, n) v
	GROUP BY p, s, n) t;
SET bytea_output = 'escape';
SELECT hll_agg(1) AS still_hex;
RESET bytea_output;
SELECT count(*) AS casts, bool_and(castcontext = 'e') AS all_explicit FROM pg_cast
WHERE 'hll'::regtype IN (castsource, casttarget);

-- sketch_hash: the hash that all of this uses.
SELECT sketch_hash(1) AS one, sketch_hash(1, 0) = sketch_hash(1) AS seed_defaults_to_0,
	sketch_hash(1, 5) AS with_seed, sketch_hash(value => 1, seed => 5) = sketch_hash(1, 5) AS by_name,
	sketch_hash(NULL::int) IS NULL AND sketch_hash(1, NULL) IS NULL AS null_gives_null;

-- Everything is immutable, safe in parallel plans and commented; STORAGE external.
SELECT count(*) > 60 AS many, bool_and(provolatile = 'i' AND proparallel = 's') AS immutable_and_safe,
	bool_and(obj_description(p.oid, 'pg_proc') IS NOT NULL) AS commented
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'bloomsketch';
SELECT typstorage, typlen FROM pg_type WHERE oid = 'hll'::regtype;
SELECT extrelocatable AS relocatable FROM pg_extension WHERE extname = 'bloomsketch';
