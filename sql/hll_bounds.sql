-- hll_bounds: between which numbers the true one lies. How often it does is
-- measured by the unit tests and `make accuracy`; here it is what SQL sees.

-- Over nothing; over few values, where the number is known; the confidence's default and name.
SELECT what, b.* FROM (VALUES
	(1, 'no parameters', hll_empty()),
	(2, 'empty', hll_empty(12)),
	(3, 'empty, seed', hll_empty(18, -5)),
	(4, 'one value', (SELECT hll_agg(1))),
	(5, 'one text, seed', (SELECT hll_agg('a'::text, 10, 9223372036854775807)))) t(n, what, h), hll_bounds(h) b
ORDER BY n;
SELECT hll_bounds(h) = hll_bounds(h, 0.95) AS by_default, hll_bounds(sketch => h, confidence => 0.68) = hll_bounds(h, 0.68) AS by_name,
	hll_bounds(h, 0.68) = hll_bounds(h) AS the_same_for_all, hll_bounds(h) = hll_bounds(h) AS again
FROM (SELECT hll_agg(v) AS h FROM generate_series(1, 5000) v) t;
SELECT pg_typeof(lower), pg_typeof(estimate), pg_typeof(upper) FROM hll_bounds(hll_empty());
SELECT hll_bounds(NULL) IS NULL AS sketch, hll_bounds(hll_empty(), NULL) IS NULL AS confidence, hll_bounds(NULL, 7) IS NULL AS both,
	(hll_bounds(NULL)).upper IS NULL AS column_of_it;
SELECT * FROM hll_bounds(NULL);

-- Sketches of every form and many sizes, with what they hold exactly. Each has values of its own.
CREATE TEMP TABLE cases AS
	SELECT p, seed, n, hll_agg((p * 100 + seed) * 100000::bigint + v, p, seed) AS h, count(DISTINCT v) AS exact
	FROM unnest(ARRAY[4, 7, 10, 12, 14, 16, 18]) p, unnest(ARRAY[0, 77]) seed,
		unnest(ARRAY[1, 2, 3, 10, 50, 128, 129, 500, 2048, 2049, 10000, 40000]) n, LATERAL generate_series(1, n) v
	GROUP BY p, seed, n;
SELECT (hll_info(h)).representation, count(*) FROM cases GROUP BY 1 ORDER BY 1;
SELECT c, bool_and(lower <= estimate AND estimate <= upper) AS ordered, bool_and(estimate = hll_count(h)) AS count,
	bool_and(lower >= (hll_info(h)).registers_used) AS not_below_what_is_certain, count(*)
FROM cases, unnest(ARRAY[1e-300, 0.001, 0.5, 0.68, 0.95, 0.99, 0.999999, 0.9999999999999999]::float8[]) c, hll_bounds(h, c) GROUP BY c ORDER BY c;
-- More confidence takes a range that is no smaller, and at last a larger one.
SELECT bool_and(a.lower >= b.lower AND b.lower >= c.lower AND c.lower >= d.lower) AS lower,
	bool_and(a.upper <= b.upper AND b.upper <= c.upper AND c.upper <= d.upper) AS upper,
	bool_and(d.upper - d.lower > a.upper - a.lower OR (hll_info(h)).representation = 'sparse') AS wider, count(*)
FROM cases, hll_bounds(h, 0.5) a, hll_bounds(h, 0.68) b, hll_bounds(h, 0.95) c, hll_bounds(h, 0.999) d;
-- Few values: one number, the right one; a few numbers more for some thousand.
SELECT p, bool_and(lower = exact AND upper = exact) FILTER (WHERE n <= 500) AS known,
	bool_and(exact BETWEEN lower AND upper) AS within, max(upper - lower) FILTER (WHERE n >= 10000) AS widest, count(*)
FROM cases, hll_bounds(h) WHERE (hll_info(h)).representation = 'sparse' GROUP BY p ORDER BY p;
-- Dense: both within five standard errors of the truth; from nine values a register on the
-- range is 1.96 of them to each side, within a tenth.
SELECT p, bool_and(abs(lower / exact::float8 - 1) < 5 * standard_error AND abs(upper / exact::float8 - 1) < 5 * standard_error) AS near,
	bool_and(abs((upper - lower) / (2 * 1.96 * standard_error * estimate) - 1) < 0.1) FILTER (WHERE n >= 9 * 2 ^ p) AS width, count(*)
FROM cases, hll_info(h), hll_bounds(h) WHERE representation = 'dense' AND p >= 10 GROUP BY p ORDER BY p;

-- As often as they say: of 400 sketches so many have the true number. Binomial numbers, 4 sigma to each side:
-- 272 +- 37, 380 +- 17, 396 +- 8.
SELECT c, CASE c WHEN 0.68 THEN count(*) FILTER (WHERE n BETWEEN lower AND upper) BETWEEN 235 AND 309
	WHEN 0.95 THEN count(*) FILTER (WHERE n BETWEEN lower AND upper) BETWEEN 363 AND 397
	ELSE count(*) FILTER (WHERE n BETWEEN lower AND upper) BETWEEN 388 AND 400 END AS as_often
FROM (SELECT 2000 AS n, hll_agg(g * 10000 + v, 9) AS h FROM generate_series(1, 400) g, generate_series(1, 2000) v GROUP BY g) t,
	unnest(ARRAY[0.68, 0.95, 0.99]) c, hll_bounds(h, c)
GROUP BY c ORDER BY c;

-- A confidence that is none, whatever the sketch.
\i test/sql/fails.sql
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(1), 0)');
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(1), 1)');
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(1), -1)');
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(1), 2)');
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(1), 95)');
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(1), ''NaN'')');
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(1), ''Infinity'')');
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(1), ''-Infinity'')');
CALL pg_temp.fails('SELECT hll_bounds(hll_empty(), 1)');
CALL pg_temp.fails('SELECT hll_bounds(hll_agg(v, 4), 1.0000000000000002) FROM generate_series(1, 100) v');

-- In every form the same: states as an aggregate without a final function hands them out.
CREATE AGGREGATE pg_temp.working(int, int, bigint) (SFUNC = hll_agg_step, STYPE = hll);
CREATE AGGREGATE pg_temp.working(text, int, bigint) (SFUNC = hll_agg_step, STYPE = hll);
CREATE TEMP TABLE forms AS
	SELECT p, n, pg_temp.working(v::text, p, 5) AS w, hll_agg(v::text, p, 5) AS h
	FROM unnest(ARRAY[4, 14, 18]) p, unnest(ARRAY[1, 2, 3, 100, 5000, 40000]) n, LATERAL generate_series(1, n) v GROUP BY p, n;
SELECT count(DISTINCT get_byte(w::bytea, 1) % 8) AS working_forms, count(DISTINCT get_byte(h::bytea, 1) % 8) AS stored_forms,
	bool_and(hll_bounds(w, 0.9) = hll_bounds(h, 0.9)) AS same, bool_and((hll_bounds(w)).estimate = hll_count(h)) AS estimate, count(*)
FROM forms;
SELECT hll_bounds(pg_temp.working(v, 14, 0)) = hll_bounds(hll_agg(v)) AS fresh FROM generate_series(1, 300) v;
SELECT bool_and(w::bytea = (SELECT pg_temp.working(v::text, p, 5)::bytea FROM generate_series(1, n) v)) AS unchanged FROM forms;

-- The highest registers there can be, where the number is beyond a bigint.
SELECT hll_bounds(('\x11130204' || repeat('3d', 16))::hll) AS beyond, hll_bounds(('\x11130204' || repeat('3c', 16))::hll, 0.5) IS NOT NULL AS near;

-- As people use it: of a union, in an index, a generated column and a view, in parallel workers.
CREATE TABLE days (day int PRIMARY KEY, h hll NOT NULL, upper bigint GENERATED ALWAYS AS ((hll_bounds(h)).upper) STORED);
INSERT INTO days SELECT d, hll_agg(d * 100 + v) FROM generate_series(1, 30) d, generate_series(1, 3000) v GROUP BY d;
CREATE INDEX ON days (((hll_bounds(h, 0.99)).lower));
CREATE VIEW with_bounds AS SELECT day, b.* FROM days, hll_bounds(h) AS b;
-- At 0.95, 28.5 of 30, and 4 sigma of 1.2 less.
SELECT bool_and(d.upper = w.upper) AS generated, count(*) FILTER (WHERE 3000 BETWEEN lower AND w.upper) >= 23 AS as_often, count(*)
FROM days d JOIN with_bounds w USING (day);
SELECT 5900 BETWEEN lower AND upper AS of_a_union FROM hll_bounds((SELECT hll_union(h) FROM days), 0.999);
SELECT sum(lower) AS lower, sum(estimate) AS estimate, sum(upper) AS upper FROM with_bounds \gset serial_
ALTER TABLE days SET (parallel_workers = 2);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
\i test/sql/plans.sql
SELECT pg_temp.is_parallel('SELECT sum((hll_bounds(h)).lower) FROM days') AS parallel;
SELECT sum((hll_bounds(h)).lower) = :serial_lower AS lower, sum((hll_bounds(h)).estimate) = :serial_estimate AS estimate,
	sum((hll_bounds(h, 0.95)).upper) = :serial_upper AS upper FROM days;
DROP TABLE days CASCADE;
