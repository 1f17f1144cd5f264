-- The same values give the same bytes, whatever the route and the order.

-- Sparse sketches count entries: distinct values of the hash's top 26 bits. They
-- turn dense above m/8 of them, m = 2^precision. `found` has integers in a fixed
-- order with different entries, and how many there are so far.
CREATE TEMP TABLE cases (p int, seed bigint);
INSERT INTO cases VALUES (4, 0), (5, 3), (8, -1), (10, 0), (12, 77), (14, 0), (14, -9223372036854775808), (18, 5);
CREATE TEMP TABLE found AS
	SELECT seed, v, row_number() OVER (PARTITION BY seed ORDER BY v) AS n
	FROM (SELECT seed, min(v) AS v
		FROM (SELECT DISTINCT seed FROM cases) s, generate_series(1, 40000) v
		GROUP BY seed, sketch_hash(v, seed) >> 38) t;
CREATE INDEX ON found (seed, n);
ANALYZE found;

-- Around the boundary, m/8 entries, and far on both sides of it.
CREATE TEMP TABLE sets AS
	SELECT p, seed, (1 << (p - 3)) + delta AS n, delta
	FROM cases, (VALUES (-1), (0), (1)) t(delta)
	UNION ALL SELECT p, seed, n, NULL FROM cases, (VALUES (1), (2), (7), (300), (35000)) t(n);
CREATE TEMP TABLE built AS
	SELECT s.*, (SELECT hll_agg(v, p, seed) FROM found f WHERE f.seed = s.seed AND f.n <= s.n) AS h
	FROM sets s;

SELECT p, delta, bool_and((hll_info(h)).representation = CASE WHEN delta > 0 THEN 'dense' ELSE 'sparse' END) AS form,
	bool_and(abs(hll_count(h) / n::float8 - 1) <= 4 * (hll_info(h)).standard_error) AS close,
	bool_and(delta > 0 OR hll_count(h) = round(-(2 ^ 26) * ln(1 - n / 2 ^ 26))) AS sparse_by_formula
FROM built WHERE delta IS NOT NULL
GROUP BY p, delta ORDER BY p, delta;

SELECT hll_count(hll_agg(v, 18, 5)) AS rounded FROM found WHERE seed = 5 AND n <= 10000;  -- 10000.745

-- Sets of values taken as they come, some of which share entries: within four
-- standard errors of linear counting, 1 / sqrt(2 * 2^26) = 0.009 %.
SELECT n, bool_and(abs(hll_count(h) / n::float8 - 1) <= 4 * 0.00009) AS close
FROM (SELECT n, hll_agg(v, 18, seed) AS h
	FROM generate_series(1, 5) seed, (VALUES (1000), (10000), (32000)) s(n), generate_series(1, n) v
	GROUP BY n, seed) t
GROUP BY n ORDER BY n;

-- Order: backwards, by the hash, by the hash backwards, shuffled, each twice.
SELECT s.p, bool_and(h = backwards) AS backwards, bool_and(h = ascending) AS ascending,
	bool_and(h = descending) AS descending, bool_and(h = shuffled) AS shuffled, bool_and(h = twice) AS twice, count(*)
FROM built s, LATERAL (
	SELECT hll_agg(v, p, seed ORDER BY v DESC) AS backwards,
		hll_agg(v, p, seed ORDER BY sketch_hash(v, seed)) AS ascending,
		hll_agg(v, p, seed ORDER BY sketch_hash(v, seed) DESC) AS descending,
		hll_agg(v, p, seed ORDER BY v % 97, v % 13, v) AS shuffled
	FROM found f WHERE f.seed = s.seed AND f.n <= s.n) orders, LATERAL (
	SELECT hll_agg(v, p, seed) AS twice
	FROM (SELECT v FROM found f WHERE f.seed = s.seed AND f.n <= s.n
		UNION ALL SELECT v FROM found f WHERE f.seed = s.seed AND f.n <= s.n) t) doubled
GROUP BY s.p ORDER BY s.p;

-- Unions of parts by aggregate and by operator: three equal parts; a small and
-- a large one, so that a sparse meets a dense one; overlapping parts.
SELECT s.p, bool_and(h = thirds) AS thirds, bool_and(h = thirds_backwards) AS backwards,
	bool_and(h = first || rest) AS small_and_large, bool_and(h = rest || first) AS large_and_small,
	bool_and(h = most || rest) AS overlapping, bool_and(h = h || first) AS contained,
	bool_and(h = hll_empty() || h || hll_empty(p, seed)) AS empty, count(*)
FROM built s, LATERAL (
	SELECT hll_union(part) AS thirds, hll_union(part ORDER BY third DESC) AS thirds_backwards
	FROM (SELECT n % 3 AS third, hll_agg(v, p, seed) AS part FROM found f WHERE f.seed = s.seed AND f.n <= s.n
		GROUP BY n % 3) t) united, LATERAL (
	SELECT hll_agg(v, p, seed) FILTER (WHERE f.n <= s.n / 10) AS first,
		hll_agg(v, p, seed) FILTER (WHERE f.n > s.n / 10) AS rest,
		hll_agg(v, p, seed) FILTER (WHERE f.n <= s.n / 2) AS most
	FROM found f WHERE f.seed = s.seed AND f.n <= s.n) parts
GROUP BY s.p ORDER BY s.p;

-- hll_add, value by value, from nothing (from m/8 - 3 values where that is a
-- lot) across the boundary; every sketch on the way is as if built.
CREATE FUNCTION pg_temp.add_across(p int, seed bigint) RETURNS TABLE(as_built boolean, steps bigint) AS $$
	WITH RECURSIVE start AS (
		SELECT CASE WHEN p > 12 THEN (1 << (p - 3)) - 3 ELSE 0 END AS n),
	added AS (
		SELECT n::bigint, CASE WHEN n = 0 THEN hll_empty(p, seed)
			ELSE (SELECT hll_agg(f.v, p, seed) FROM found f WHERE f.seed = $2 AND f.n <= start.n) END AS h
		FROM start
		UNION ALL
		SELECT f.n, hll_add(added.h, f.v)
		FROM added JOIN found f ON f.seed = $2 AND f.n = added.n + 1
		WHERE added.n < (1 << (p - 3)) + 3)
	SELECT bool_and(h = CASE WHEN n = 0 THEN hll_empty(p, seed)
			ELSE (SELECT hll_agg(f.v, p, seed) FROM found f WHERE f.seed = $2 AND f.n <= added.n) END),
		count(*)
	FROM added
$$ LANGUAGE sql;
SELECT p, seed, a.* FROM cases, pg_temp.add_across(p, seed) a ORDER BY p, seed;
-- Default parameters: 2,100 values one by one.
DO $$
DECLARE
	h hll := hll_empty();
BEGIN
	FOR i IN 1..2100 LOOP
		h := hll_add(h, i);
		h := hll_add(h, i);
	END LOOP;
	RAISE NOTICE 'one by one: %, %', h = (SELECT hll_agg(v) FROM generate_series(1, 2100) v), (hll_info(h)).representation;
END
$$;

-- Of two ranks with one index the higher one stays. Each sketch has the entry
-- with index 0, with rank 1 and with rank 2.
SELECT low || high = high AS union, high || low = high AS backwards, low = high AS same, # (low || high) AS one
FROM (VALUES ('\x1110020e0100000006'::hll, '\x1110020e010000000a'::hll)) t(low, high);

-- hll_reduce: to every precision, from every higher one, for sets around the
-- boundaries of both.
CREATE TEMP TABLE ladder AS
	SELECT p, n, (SELECT hll_agg(v, p, 5) FROM found f WHERE f.seed = 5 AND f.n <= s.n) AS h
	FROM generate_series(4, 18) p,
		(VALUES (1), (2), (3), (4), (5), (100), (128), (129), (2048), (2049), (3000), (32768), (32769)) s(n);
SELECT a.p, bool_and(hll_reduce(a.h, b.p) = b.h) AS as_built, count(*)
FROM ladder a JOIN ladder b ON b.n = a.n AND b.p <= a.p
GROUP BY a.p ORDER BY a.p;
-- In two steps as in one; before a union as after it.
SELECT bool_and(hll_reduce(hll_reduce(a.h, b.p), c.p) = hll_reduce(a.h, c.p)) AS steps,
	bool_and(hll_reduce(a.h || other.h, c.p) = hll_reduce(a.h, c.p) || hll_reduce(other.h, c.p)) AS unions, count(*)
FROM ladder a JOIN ladder b ON b.n = a.n JOIN ladder c ON c.n = a.n JOIN ladder other ON other.p = a.p
WHERE a.p = 18 AND b.p = 13 AND c.p IN (4, 9, 12) AND other.n IN (3, 3000);

-- Text takes the same routes.
SELECT hll_agg(t) = hll_union(DISTINCT h) AS united, hll_agg(t) = hll_agg(t ORDER BY t COLLATE "C" DESC) AS backwards
FROM (SELECT 'visitor ' || v AS t, hll_agg('visitor ' || v) OVER (PARTITION BY v % 7) AS h
	FROM generate_series(1, 5000) v) t;
