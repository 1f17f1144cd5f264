-- A function never changes its argument. Only a step function may write, and
-- only into the state that its aggregate owns.

CREATE TEMP TABLE pairs AS
	SELECT form, hll_agg(v, p) FILTER (WHERE v <= n) AS a, hll_agg(v, p) FILTER (WHERE v > n / 2) AS b
	FROM (VALUES ('sparse', 14, 40), ('sparse, long', 14, 700), ('at the limit', 14, 1024), ('dense', 14, 9000),
		('dense, small', 4, 50)) t(form, p, n), LATERAL (SELECT v FROM generate_series(1, 2 * n) v) u
	GROUP BY form, n;

-- Variables of PL/pgSQL keep their values. Appending a byte makes a copy of the
-- bytes that a write into the variable could not reach.
CREATE FUNCTION pg_temp.variables(a hll, b hll) RETURNS text AS $$
DECLARE
	a_before bytea := a::bytea || '\x00';
	b_before bytea := b::bytea || '\x00';
	united hll;
	added hll := a;
	reduced hll;
	changed text := '';
BEGIN
	united := hll_union(a, b);
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN changed := 'union '; END IF;
	united := united || a || b;
	FOR i IN 1000001..1000100 LOOP
		added := hll_add(added, i);
	END LOOP;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'add '; END IF;
	reduced := hll_reduce(a, 4);
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'reduce '; END IF;
	PERFORM hll_bounds(a), hll_overlap(a, b), hll_overlap(b, a), hll_overlap(a, a);
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN changed := changed || 'overlap '; END IF;
	SELECT hll_union(h) INTO united FROM (VALUES (a), (b), (a)) t(h);
	SELECT hll_union(h) INTO united FROM unnest(ARRAY[a, b, added]) h;
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN
		changed := changed || 'aggregate ';
	END IF;
	-- Assigning an argument must not write through to the other variables.
	b := a;
	b := hll_add(b, 2000000);
	b := b || united;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'assignment '; END IF;
	RETURN coalesce(nullif(changed, ''), 'nothing changed');
END
$$ LANGUAGE plpgsql;
SELECT form, pg_temp.variables(a, b) FROM pairs ORDER BY form;
SELECT form, pg_temp.variables(hll_agg(v), hll_agg(-v)) AS fresh_from_aggregates
FROM (VALUES ('sparse', 40), ('dense', 9000)) t(form, n), LATERAL generate_series(1, n) v
GROUP BY form ORDER BY form;

-- One column used many times in one SELECT reads the same every time: stored
-- in line and out of line, and straight from a sub-query.
CREATE TEMP TABLE expected AS SELECT form, a::bytea AS a, b::bytea AS b FROM pairs;
SELECT form, p.a::bytea = e.a AS before, p.a || p.b = p.b || p.a AS united, p.a::bytea = e.a AS between,
	hll_count(hll_add(p.a, -1)) >= hll_count(p.a) AS added, p.a::bytea = e.a AS after, p.b::bytea = e.b AS other
FROM pairs p JOIN expected e USING (form) ORDER BY form;
WITH fresh AS MATERIALIZED (
	SELECT n, hll_agg(v) AS a, hll_agg(-v) AS b FROM (VALUES (400), (9000)) t(n), LATERAL generate_series(1, n) v
	GROUP BY n)
SELECT n, round(hll_count(a)::numeric, -2) AS hundreds, hll_count(a || b) > hll_count(a) AS united,
	hll_count(hll_add(a, 0)) >= hll_count(a) AS added, round(hll_count(a)::numeric, -2) AS again,
	a = (SELECT hll_agg(v) FROM generate_series(1, n) v) AS as_built
FROM fresh ORDER BY n;

-- Aggregates over a column do not write into it, nor into each other.
SELECT form, hll_union(p.a) = p.a AS one, hll_union(x.h) = p.a || p.b AS both, hll_union(x.h) = p.b || p.a AS again,
	p.a::bytea = e.a AND p.b::bytea = e.b AS unchanged
FROM pairs p JOIN expected e USING (form), LATERAL (VALUES (p.a), (p.b)) x(h)
GROUP BY form, p.a, p.b, e.a, e.b ORDER BY form;
SELECT form, p.a::bytea = e.a AND p.b::bytea = e.b AS unchanged FROM pairs p JOIN expected e USING (form) ORDER BY form;

-- Aggregates made by hand, without a final function, hand out their state as it
-- stands: a working form, and in some plans the very bytes that the next row
-- changes. Whoever takes it reads it right and leaves it alone.
CREATE AGGREGATE pg_temp.working(int) (SFUNC = hll_agg_step, STYPE = hll);
CREATE AGGREGATE pg_temp.working_union(hll) (SFUNC = hll_union_step, STYPE = hll);
CREATE TEMP TABLE states AS
	SELECT n, pg_temp.working(v) AS w, hll_agg(v) AS h
	FROM (VALUES (1), (40), (2048), (2049), (9000)) t(n), LATERAL generate_series(1, n) v
	GROUP BY n;
SELECT n, hll_count(w) = hll_count(h) AS count, w::text::hll = h AS text, w::bytea::hll = h AS bytea,
	w || hll_add(hll_empty(), -1) = hll_add(h, -1) AS united, hll_add(w, -1) = hll_add(h, -1) AS added,
	hll_add(w, 1) = h AS added_again, hll_add(w, NULL::int) = h AS nothing_added, hll_reduce(w, 12) = hll_reduce(h, 12) AS reduced,
	hll_agg_final(w) = h AS final, (hll_info(w)).registers_used = (hll_info(h)).registers_used AS used,
	(hll_info(w)).representation = (hll_info(h)).representation AS form, hll_bounds(w) = hll_bounds(h) AS bounds,
	hll_overlap(w, hll_add(h, -1)) = hll_overlap(h, hll_add(h, -1)) AS overlap
FROM states ORDER BY n;
SELECT hll_union(w) = hll_union(h) AS aggregate, hll_union(w ORDER BY n DESC) = hll_union(h) AS backwards,
	pg_temp.working_union(w)::bytea::hll = hll_union(h) AS by_hand
FROM states;
-- A dense one whose bytes, taken for entries, would contain 457 already.
SELECT hll_count(hll_add(h, 457)) AS at_rest, hll_count(hll_add(w, 457)) AS working
FROM (SELECT h, pg_temp.working_union(h) AS w FROM (SELECT rpad('\x1111020e00850480048004d0ffdafd0f01', 4130, '0')::hll AS h) t GROUP BY h) u;
-- In a window, each row's state against what the row should see.
SELECT bool_and(seen::bytea::hll = expected) AS own_rows,
	bool_and(before::bytea::hll = expected_before) AS lag, count(before) AS lagging,
	bool_and(hll_overlap(before, seen) = hll_overlap(expected_before, expected)) AS overlap
FROM (SELECT v, seen, expected, lag(seen) OVER (ORDER BY v) AS before, lag(expected) OVER (ORDER BY v) AS expected_before
	FROM (SELECT v, pg_temp.working(v) OVER w AS seen, hll_agg(v) OVER w AS expected
		FROM generate_series(1, 2200) v WINDOW w AS (ORDER BY v)) t) u;
SELECT bool_and(x::bytea::hll = y) AS whole_partition, count(*)
FROM (SELECT pg_temp.working(v) OVER (PARTITION BY v % 3) AS x, hll_agg(v) OVER (PARTITION BY v % 3) AS y
	FROM generate_series(1, 100) v) t;
-- A state used twice in one SELECT, by an aggregate over it and by functions.
SELECT n, hll_count(w) = hll_count(h) AS first, hll_count(hll_add(w, 0) || w) = hll_count(hll_add(h, 0)) AS added,
	hll_count(w) = hll_count(h) AS again, w::bytea::hll = h AS unchanged
FROM (SELECT n, pg_temp.working(v) AS w, hll_agg(v) AS h
	FROM (VALUES (40), (9000)) t(n), LATERAL generate_series(1, n) v GROUP BY n) t
ORDER BY n;
SELECT hll_union(w) OVER (ORDER BY n) = hll_agg_final(w) AS nested FROM states ORDER BY n;
