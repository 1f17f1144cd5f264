-- hll_overlap: what two sketches share, against the exact answers of SQL. How far
-- off it is on the average is measured by the unit tests and `make accuracy`.

-- Without values on one side or on both. A column named as a keyword needs quotes only where it stands alone.
SELECT what, o.* FROM (VALUES
	(1, 'no parameters', hll_empty(), hll_empty()),
	(2, 'one with', hll_empty(), hll_empty(12, 5)),
	(3, 'both with', hll_empty(12), hll_empty(12)),
	(4, 'one value in a', (SELECT hll_agg(1)), hll_empty()),
	(5, 'one value in b', hll_empty(14), (SELECT hll_agg(1))),
	(6, 'the same value', (SELECT hll_agg(1)), (SELECT hll_agg(1))),
	(7, 'two values', (SELECT hll_agg(1)), (SELECT hll_agg(2))),
	(8, 'dense in a', (SELECT hll_agg(v, 4) FROM generate_series(1, 3) v), hll_empty(4)),
	(9, 'dense in b', hll_empty(), (SELECT hll_agg(v, 4) FROM generate_series(1, 3) v))) t(n, what, a, b), hll_overlap(a, b) o
ORDER BY n;
SELECT pg_typeof(only_a) AS only_a, pg_typeof(only_b) AS only_b, pg_typeof("both") AS both, pg_typeof(total) AS total, pg_typeof(jaccard) AS jaccard
FROM hll_overlap(hll_empty(), hll_empty());
SELECT o.both, "both", (hll_overlap(a => h, b => h)).both FROM (SELECT hll_agg(1) AS h) t, hll_overlap(h, h) o;
SELECT hll_overlap(NULL, hll_empty()) IS NULL AS a, hll_overlap(hll_empty(), NULL) IS NULL AS b, hll_overlap(NULL, NULL) IS NULL AS both,
	(hll_overlap(NULL, hll_empty())).total IS NULL AS column_of_it;
SELECT * FROM hll_overlap(NULL, hll_empty(4));

-- Pairs of sets: disjoint, equal, one within the other, some values shared. Sizes such that both are
-- sparse, both dense, and one of each.
CREATE TEMP TABLE sets AS
	SELECT na, nb, shape, 1 AS from_a, na AS to_a, na - shared + 1 AS from_b, na - shared + nb AS to_b
	FROM (VALUES (100, 100), (120, 60), (30, 9000), (2000, 1000), (2000, 9000), (9000, 9000), (20000, 3000)) u(na, nb),
		(VALUES ('disjoint', 0), ('few shared', 0.02), ('a third shared', 0.3), ('most shared', 0.9), ('one within the other', 1)) v(shape, share),
		LATERAL (SELECT (share * least(na, nb))::int AS shared) w;
CREATE TEMP TABLE exact AS
	SELECT sets.*, (SELECT count(*) FROM (SELECT generate_series(from_a, to_a) EXCEPT SELECT generate_series(from_b, to_b)) x) AS exact_a,
		(SELECT count(*) FROM (SELECT generate_series(from_b, to_b) EXCEPT SELECT generate_series(from_a, to_a)) x) AS exact_b,
		(SELECT count(*) FROM (SELECT generate_series(from_a, to_a) INTERSECT SELECT generate_series(from_b, to_b)) x) AS exact_both
	FROM sets;
CREATE TEMP TABLE cases AS
	SELECT p, seed, exact.*, (SELECT hll_agg(v, p, seed) FROM generate_series(from_a, to_a) v) AS a,
		(SELECT hll_agg(v, p, seed) FROM generate_series(from_b, to_b) v) AS b
	FROM exact, (VALUES (10, 0), (14, 0), (14, 77), (16, -5)) t(p, seed);
SELECT shape, min(exact_both) AS fewest_shared, max(exact_both) AS most, bool_and(exact_a = na - exact_both AND exact_b = nb - exact_both) AS as_meant
FROM cases GROUP BY shape ORDER BY min(exact_both / least(na, nb)::float8);
SELECT (hll_info(a)).representation AS a, (hll_info(b)).representation AS b, count(*) FROM cases GROUP BY 1, 2 ORDER BY 1, 2;

-- The numbers are whole, none is negative, and they add up.
CREATE TEMP VIEW found AS SELECT c.*, (hll_info(a)).representation || '/' || (hll_info(b)).representation AS forms,
	standard_error AS e, o.* FROM cases c, hll_overlap(a, b) o, hll_info(a);
SELECT count(*), bool_and(only_a + only_b + "both" = total) AS sum, bool_and(least(only_a, only_b, "both") >= 0) AS none_negative,
	bool_and(jaccard = "both" / total::float8) AS jaccard FROM found;
-- Turned around it is the same, but for a and b.
SELECT count(*), bool_and((o.only_b, o.only_a, o.both, o.total, o.jaccard) = (t.only_a, t.only_b, t.both, t.total, t.jaccard)) AS symmetric
FROM found o, hll_overlap(b, a) t;
-- Both sparse: exact, but for values that share an index of 26 bits: 3,000 values have 0.07 such pairs.
SELECT p, bool_and((only_a, only_b, "both") = (exact_a, exact_b, exact_both)) AS exact, count(*)
FROM found WHERE forms = 'sparse/sparse' AND na + nb <= 3000 GROUP BY p ORDER BY p;
-- Otherwise each number is within 4 standard errors of the union's size.
SELECT p, forms, bool_and(greatest(abs(only_a - exact_a), abs(only_b - exact_b), abs("both" - exact_both))
	< 4 * e * (exact_a + exact_b + exact_both)) AS near, count(*)
FROM found WHERE forms <> 'sparse/sparse' OR na + nb > 3000 GROUP BY p, forms ORDER BY p, forms;
-- What is shared, more closely: where that is little its error is at most a third of the standard error (docs/ACCURACY.md); 4 of those.
SELECT shape, bool_and(abs("both" - exact_both) < 4 * e / 3 * (exact_a + exact_b + exact_both)) AS near, count(*)
FROM found WHERE shape IN ('disjoint', 'few shared') GROUP BY shape ORDER BY shape;
-- A sparse sketch knows its number: what is shared and its own add up to it. Equal sketches share all.
SELECT bool_and(abs(only_a + "both" - hll_count(a)) <= 1) FILTER (WHERE forms LIKE 'sparse/%') AS sparse_a,
	bool_and(abs(only_b + "both" - hll_count(b)) <= 1) FILTER (WHERE forms LIKE '%/sparse') AS sparse_b,
	count(*) FROM found WHERE forms LIKE '%sparse%';
SELECT (hll_info(h)).representation, bool_and(only_a + only_b <= total / 500 AND jaccard > 0.99) AS all_shared,
	bool_and(abs(total - hll_count(h)) <= 0.5 * (hll_info(h)).standard_error * total) AS total, count(*)
FROM cases, LATERAL (VALUES (a), (b)) t(h), hll_overlap(h, h) GROUP BY 1 ORDER BY 1;
-- The total is not hll_count(a || b), which has an estimator of its own. The two differ by half a standard error or so, the
-- most where nothing is shared; 4 of those.
SELECT forms, bool_and(abs(total - hll_count(a || b)) < 2 * e * total) AS near, count(*) FILTER (WHERE total <> hll_count(a || b)) > 0 AS not_the_same
FROM found GROUP BY forms ORDER BY forms;

-- Better than inclusion and exclusion. Of 40 pairs with 1 of 100 values in common the errors' root mean squares are some
-- 3 to 1; each is uncertain by 1 / sqrt(80), 11 %, so that 1.5 is more than 4 sigma away.
SELECT sqrt(avg((i - 200) ^ 2)) > 1.5 * sqrt(avg((o.both - 200.0) ^ 2)) AS better, count(*) FILTER (WHERE i < 0) > 0 AS which_may_be_negative,
	min(o.both) >= 0 AS never
FROM (SELECT a, b, hll_count(a) + hll_count(b) - hll_count(a || b) AS i
	FROM (SELECT hll_agg(k * 100000 + v, 10) FILTER (WHERE v <= 10000) AS a, hll_agg(k * 100000 + v, 10) FILTER (WHERE v > 9800) AS b
		FROM generate_series(1, 40) k, generate_series(1, 19800) v GROUP BY k) s) t, hll_overlap(a, b) o;

-- What does not go together: the same errors as of a union, whatever the forms.
\i test/sql/fails.sql
CREATE TEMP TABLE sketches AS
	SELECT hll_agg(v) AS h, hll_agg(v, 12) AS precision, hll_agg(v, 14, 5) AS seed, hll_agg(v::text) AS kind, hll_agg(ARRAY[v]) AS arrays,
		hll_agg(v::text, 12, 5) AS all, hll_agg(v, 4) AS dense, hll_agg(v, 5) AS dense_5, hll_agg(v, 4, 1) AS dense_seed, hll_agg(v::text, 4) AS dense_kind
	FROM generate_series(1, 100) v;
CALL pg_temp.fails('SELECT hll_overlap(h, precision) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(precision, h) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(h, dense) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(h, seed) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(seed, h) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(h, kind) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(kind, arrays) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(h, "all") FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(dense, dense_5) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(dense, dense_seed) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(dense, dense_kind) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(hll_empty(12), hll_empty(13))');
CALL pg_temp.fails('SELECT hll_overlap(h, hll_empty(13)) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(hll_empty(14, 7), h) FROM sketches');
-- The way out that the hint names; an empty sketch goes with every kind, one without parameters with all.
SELECT (hll_overlap(hll_reduce(h, 12), precision)).both AS reduced, (hll_overlap(kind, hll_empty(14))).only_a AS empty,
	(hll_overlap(hll_empty(), "all")).only_b AS without_parameters FROM sketches;
-- Only pairs.
CALL pg_temp.fails('SELECT hll_overlap(h, h, h) FROM sketches');
CALL pg_temp.fails('SELECT hll_overlap(h) FROM sketches');

-- In every form the same: states as an aggregate without a final function hands them out.
CREATE AGGREGATE pg_temp.working(int, int, bigint) (SFUNC = hll_agg_step, STYPE = hll);
CREATE AGGREGATE pg_temp.working(text, int, bigint) (SFUNC = hll_agg_step, STYPE = hll);
CREATE TEMP TABLE forms AS
	SELECT p, n, pg_temp.working(v::text, p, 5) AS w, hll_agg(v::text, p, 5) AS h
	FROM unnest(ARRAY[4, 14]) p, unnest(ARRAY[1, 2, 3, 100, 2000, 9000]) n, LATERAL generate_series(1, n) v GROUP BY p, n;
SELECT count(DISTINCT get_byte(w::bytea, 1) % 8) AS working_forms, count(DISTINCT get_byte(h::bytea, 1) % 8) AS stored_forms FROM forms;
SELECT bool_and(hll_overlap(a.w, b.w) = hll_overlap(a.h, b.h)) AS working, bool_and(hll_overlap(a.w, b.h) = hll_overlap(a.h, b.h)) AS a_working,
	bool_and(hll_overlap(a.h, b.w) = hll_overlap(a.h, b.h)) AS b_working, bool_and(hll_overlap(a.w, hll_empty()) = hll_overlap(a.h, hll_empty())) AS empty, count(*)
FROM forms a JOIN forms b USING (p);
SELECT hll_overlap(pg_temp.working(v, 14, 0) FILTER (WHERE v <= 200), pg_temp.working(v, 14, 0) FILTER (WHERE v > 100)) AS fresh FROM generate_series(1, 300) v;
SELECT bool_and(w::bytea = (SELECT pg_temp.working(v::text, p, 5)::bytea FROM generate_series(1, n) v)) AS unchanged FROM forms;

-- The highest registers there can be: the numbers stay within bigint.
SELECT only_a >= 0 AND only_b >= 0 AND "both" >= 0 AS none_negative, only_a::numeric + only_b + "both" = total AS sum, total > 10::numeric ^ 18 AS many, jaccard BETWEEN 0 AND 1 AS jaccard
FROM (VALUES ('3d', '3d'), ('3d', '3c'), ('3d', '01'), ('01', '3d')) t(a, b),
	LATERAL hll_overlap(('\x11130204' || repeat(a, 16))::hll, ('\x11130204' || repeat(b, 16))::hll);

-- As people use it: each day against the one before, in parallel workers too, and all pairs of a few.
CREATE TABLE days (day int PRIMARY KEY, h hll NOT NULL);
INSERT INTO days SELECT d, hll_agg(d * 1500 + v) FROM generate_series(1, 20) d, generate_series(1, 3000) v GROUP BY d;
SELECT count(*), bool_and(o.both BETWEEN 1400 AND 1600) AS half_return FROM (SELECT h, lag(h) OVER (ORDER BY day) AS last FROM days) d, hll_overlap(last, h) o
WHERE last IS NOT NULL;
SELECT count(*) FILTER (WHERE o.jaccard > 0.05) AS alike, count(*) AS pairs FROM days a JOIN days b ON a.day < b.day, hll_overlap(a.h, b.h) o;
SELECT sum((hll_overlap(h, first)).both) AS both FROM days, (SELECT h AS first FROM days WHERE day = 1) f \gset serial_
ALTER TABLE days SET (parallel_workers = 2);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
\i test/sql/plans.sql
SELECT pg_temp.is_parallel('SELECT sum((hll_overlap(h, (SELECT h FROM days WHERE day = 1))).both) FROM days') AS parallel;
SELECT sum((hll_overlap(h, (SELECT h FROM days WHERE day = 1))).both) = :serial_both AS same FROM days;
DROP TABLE days;

-- Equal registers are equal sets, to the last value, whatever they are: of one value a
-- register, of many, and as high as can be.
SELECT name, o.only_a, o.only_b, o.both = hll_count(h) AS all_shared, o.total = o.both AS sum, o.jaccard
FROM (VALUES ('many', (SELECT hll_agg(v) FROM generate_series(1, 100000) v)), ('few', (SELECT hll_agg(v, 4) FROM generate_series(1, 20) v)),
	('full', ('\x11130204' || repeat('3d', 16))::hll), ('nearly', ('\x11130204' || repeat('3c', 16))::hll)) t(name, h), hll_overlap(h, h) o ORDER BY name;
