-- A sketch gives right answers whatever the plan, the order and the route; and while
-- each value has a counter of its own, the same bytes.

CREATE SCHEMA plans;
SET search_path = plans, public;
CREATE TABLE facts AS
	SELECT i,
		i % 6 AS g,
		i * 7919 % 2000 AS k,
		CASE WHEN i % 11 = 0 THEN NULL WHEN i % 4 = 0 THEN ((sqrt(8 * (i / 4 % 15) + 1) - 1) / 2)::int ELSE i * 31 % 20011 % (1 + i % 6000) END AS v,
		CASE WHEN i % 13 > 0 THEN i % 17 * 1000000::bigint END AS w
	FROM generate_series(1, 60000) i;
ALTER TABLE facts ADD COLUMN t text;
UPDATE facts SET t = 'value ' || v;
VACUUM ANALYZE facts;
\i test/sql/plans.sql

-- What is true of each value in a group, and what a sketch says of it: nothing if all is well.
CREATE TABLE truth AS SELECT g, v, count(*) AS n, coalesce(sum(w), 0)::bigint AS w FROM facts WHERE v IS NOT NULL GROUP BY g, v;
CREATE TABLE totals AS SELECT g, sum(n)::bigint AS n, sum(w)::bigint AS w, count(*) AS values FROM truth GROUP BY g;
CREATE FUNCTION complaint(s topk, held bigint, group_of int, weighted boolean) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN s IS NULL THEN 'no sketch' ELSE concat_ws(', ',
		CASE WHEN i.total <> held THEN 'total' END,
		CASE WHEN i.max_error > i.total / i.counters THEN 'bound' END,
		(SELECT CASE WHEN count(*) <> i.counters_used OR count(DISTINCT item) <> count(*) OR bool_or(r.item IS NULL) THEN 'items' END
			FROM topk_items(s, 100000) r),
		(SELECT CASE WHEN bool_or(coalesce(CASE WHEN weighted THEN w ELSE n END, 0) NOT BETWEEN count - error AND count)
				THEN 'truth outside the bounds' END
			FROM topk_items(s, 100000) r LEFT JOIN truth ON g = group_of AND v::text = replace(item, 'value ', '')),
		(SELECT CASE WHEN bool_or(CASE WHEN weighted THEN w ELSE n END > i.max_error) THEN 'more of a value without a counter' END
			FROM truth WHERE g = group_of AND v::text NOT IN (SELECT replace(item, 'value ', '') FROM topk_items(s, 100000))),
		(SELECT CASE WHEN bool_or(r.rank <> o) THEN 'order' END
			FROM (SELECT rank, row_number() OVER (ORDER BY count DESC, rank) AS o FROM topk_items(s)) r),
		(SELECT CASE WHEN count(*) <> least(i.k, i.counters_used) THEN 'rows' END FROM topk_items(s))) END
	FROM topk_info(s) i
$$;
SELECT g, n > 8000 AS many, values > 1000 AS more_than_counters, values FROM totals ORDER BY g;
-- The test itself: it complains where it should, also of what never came, and of nothing.
SELECT complaint(s, n, 0, false) = '' AS right,
	complaint(s, n + 1, 0, false) AS other_total,
	complaint(s, n, 1, false) AS other_group,
	complaint(topk_add(s, -1), n + 1, 0, false) AS invented,
	complaint(topk_add(s, v), n + 1, 0, false) AS once_too_often,
	complaint(NULL, n, 0, false) AS missing
FROM (SELECT t.n, topk_agg(v, 10 ORDER BY i) AS s FROM facts f JOIN totals t USING (g) WHERE g = 0 GROUP BY t.n) t,
	LATERAL (SELECT v FROM truth WHERE g = 0 ORDER BY truth.n DESC LIMIT 1) most;

CREATE VIEW built AS
	SELECT g,
		topk_agg(v, 10) AS s,
		topk_agg(t, 200, 1, 5) AS st,
		topk_agg(v, 10, w) AS sw,
		topk_agg(v, 10) FILTER (WHERE i % 7 = 0) AS part,
		topk_agg(v, 10) FILTER (WHERE i % 7 <> 0) AS rest
	FROM facts GROUP BY g;
CREATE VIEW checked AS
	SELECT count(*), string_agg(DISTINCT nullif(complaint(s, n, g, false), ''), '; ') AS v, string_agg(DISTINCT nullif(complaint(st, n, g, false), ''), '; ') AS t,
		string_agg(DISTINCT nullif(complaint(sw, w, g, true), ''), '; ') AS w, string_agg(DISTINCT nullif(complaint(part || rest, n, g, false), ''), '; ') AS part
	FROM built JOIN totals USING (g);
-- Of few values each group has the bytes of all its rows in any order.
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
CREATE TABLE expected_k AS SELECT k, topk_agg(v, 10 ORDER BY i) AS s, topk_agg(t, 10, w, 5 ORDER BY i DESC) AS st FROM facts GROUP BY k;
CREATE VIEW checked_k AS
	SELECT bool_and(b.s = e.s) AS v, bool_and(b.st = e.st) AS t, count(*)
	FROM (SELECT k, topk_agg(v, 10) AS s, topk_agg(t, 10, w, 5) AS st FROM facts GROUP BY k) b JOIN expected_k e USING (k);

-- Sorted, hashed, and hashed into more groups than work_mem holds.
SELECT pg_temp.uses('GroupAggregate', 'SELECT * FROM built') AS sorted, c.* FROM checked c;
SELECT * FROM checked_k;
RESET enable_hashagg;
SET enable_sort = off;
SELECT pg_temp.uses('HashAggregate', 'SELECT * FROM built') AS hashed, c.* FROM checked c;
SET work_mem = '64kB';
CREATE FUNCTION spills(command text) RETURNS boolean AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT json) ' || command INTO plan;
	RETURN plan::text ~ '"HashAgg Batches": *[1-9][0-9]*' AND plan::text ~ '"Disk Usage": *[1-9]';
END
$$ LANGUAGE plpgsql;
SELECT spills('SELECT k, topk_agg(v, 10), topk_agg(t, 10, w, 5) FROM facts GROUP BY k') AS spills, c.* FROM checked_k c;
SELECT spills('SELECT * FROM built') AS spills, c.* FROM checked c;
SELECT spills('SELECT k % 700, topk_union(s) FROM expected_k GROUP BY k % 700') AS spills,
	(topk_info(topk_union(s))).total = (SELECT sum(n) FROM totals) AS united
FROM (SELECT topk_union(s) AS s FROM expected_k GROUP BY k % 700) t;
RESET work_mem;
RESET enable_sort;

-- Grouping sets, hashed and sorted.
CREATE TABLE small AS SELECT i % 3 AS a, i % 4 AS b, i % 50 AS v, i % 7 AS w, topk_add(topk_empty(10), i % 50, i % 7) AS one FROM facts WHERE i <= 600;
ANALYZE small;
CREATE VIEW sets AS
	SELECT a, b, grouping(a, b) AS bits, topk_agg(v, 10) AS s, topk_agg(v, 10, w) AS sw, topk_union(one) AS u
	FROM small GROUP BY GROUPING SETS ((a, b), CUBE (a, b));
CREATE VIEW checked_sets AS
	SELECT count(*) AS sets, count(DISTINCT bits) AS kinds, bool_and(s = e) AS s, bool_and(sw = ew) AS weighted, bool_and(u = ew) AS union
	FROM sets s, LATERAL (
		SELECT topk_agg(v, 10) AS e, topk_agg(v, 10, w) AS ew FROM small r
		WHERE (bits & 2 > 0 OR r.a = s.a) AND (bits & 1 > 0 OR r.b = s.b)) e;
SET enable_sort = off;
SELECT pg_temp.uses('(Hash|Mixed)Aggregate', 'SELECT * FROM sets') AS hashed, c.* FROM checked_sets c;
RESET enable_sort;
SET enable_hashagg = off;
SELECT pg_temp.uses('(Hash|Mixed)Aggregate', 'SELECT * FROM sets') AS hashed, c.* FROM checked_sets c;
RESET enable_hashagg;

-- DISTINCT, ORDER BY and FILTER inside; one state for several results.
SELECT bool_and(a.d = e.d) AS distinct,
	bool_and(a.dw = e.dw) AS distinct_pairs,
	bool_and(complaint(o, n, g, false) = '' AND complaint(ow, x.w, g, true) = '') AS ordered,
	bool_and(complaint(low || high, n, g, false) = '') AS filtered, bool_and(none = '\x611000') AS none, bool_and(total = n AND u = o || o) AS shared
FROM (SELECT g,
	topk_agg(DISTINCT v, 10000) AS d,
	topk_agg(DISTINCT v, 10000, w) AS dw,
	topk_agg(v, 10 ORDER BY t DESC, i) AS o,
	topk_agg(v, 10, w ORDER BY sketch_hash(v)) AS ow,
		topk_agg(v, 10) FILTER (WHERE v < 900) AS low, topk_agg(v, 10) FILTER (WHERE NOT v < 900) AS high, topk_agg(v, 10) FILTER (WHERE v < 0) AS none,
		(topk_info(topk_agg(v, 10))).total AS total, topk_agg(v, 10 ORDER BY t DESC, i) || topk_agg(v, 10 ORDER BY t DESC, i) AS u
	FROM facts
	GROUP BY g) a JOIN totals x USING (g), LATERAL (SELECT topk_agg(v, 10000) AS d,
	(SELECT topk_agg(v, 10000, w) FROM (SELECT DISTINCT v, w FROM facts f WHERE f.g = a.g) f) AS dw
		FROM (SELECT DISTINCT v FROM facts f WHERE f.g = a.g) f) e;
SELECT topk_union(DISTINCT s) = topk_agg(v, 5) AS union_distinct, topk_union(s ORDER BY v DESC) = topk_agg(v, 5) AS union_ordered,
	topk_union(s) FILTER (WHERE v <= 5) = topk_agg(v, 5) FILTER (WHERE v <= 5) AS union_filtered
FROM (SELECT v, topk_add(topk_empty(5), v) AS s FROM generate_series(1, 20) v) t;

-- Parallel, with and without the leader's part.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.uses('Partial (Hash|Group)?Aggregate', 'SELECT * FROM built') AS parallel, c.* FROM checked c;
SELECT * FROM checked_k;
CREATE TABLE truth_of_all AS SELECT v, sum(n) AS n, sum(w) AS w FROM truth GROUP BY v;
CREATE VIEW of_all AS SELECT topk_agg(v, 10) AS s, topk_agg(v, 10, w) AS sw, topk_agg(t, 10, w, 5) AS st FROM facts;
CREATE FUNCTION is_true(s topk, weighted boolean) RETURNS boolean LANGUAGE sql AS $$
	SELECT count(*) = 1000 AND bool_and(coalesce(CASE WHEN weighted THEN w ELSE n END, 0) BETWEEN count - error AND count)
	FROM topk_items(s, 1000) LEFT JOIN truth_of_all ON v::text = replace(item, 'value ', '')
$$;
CREATE VIEW checked_all AS
	SELECT (topk_info(s)).total = (SELECT sum(n) FROM totals) AS total,
		(topk_info(sw)).total = (SELECT sum(w) FROM totals) AS total_weighted,
		is_true(s, false) AS bounds,
		is_true(sw, true) AS bounds_weighted,
		is_true(st, true) AS bounds_of_texts,
		(SELECT array_agg(item::int ORDER BY rank) FROM topk_items(s, 5)) = (SELECT array_agg(v ORDER BY n DESC)
			FROM (SELECT v, n FROM truth_of_all ORDER BY n DESC LIMIT 5) t) AS first_five
	FROM of_all;
SELECT is_true(topk_add(s, -1), false) AS invented, is_true(s, true) AS other_weights, is_true(NULL, false) AS missing FROM of_all;
SELECT pg_temp.uses('Partial Aggregate', 'SELECT * FROM of_all') AS parallel, c.* FROM checked_all c;
SET parallel_leader_participation = off;
SELECT * FROM checked;
SELECT * FROM checked_all;
SELECT * FROM checked_k;
SET enable_hashagg = off;
SELECT * FROM checked;
RESET enable_hashagg;
-- Workers that see no row, or only NULL; unions of what is stored.
SELECT topk_agg(v, 10) AS no_rows FROM facts WHERE i + 0 < 0;
SELECT topk_agg(v, 10, w) AS nulls FROM facts WHERE v IS NULL OR w IS NULL;
SELECT topk_agg(CASE WHEN i = 5 THEN v END, 10) = topk_add(topk_empty(10), (SELECT v FROM facts WHERE i = 5)) AS one FROM facts;
SELECT topk_agg(v, 10, CASE i WHEN 5 THEN 7 ELSE 0 END) = topk_add(topk_empty(10), (SELECT v FROM facts WHERE i = 5), 7) AS one_of_weight FROM facts;
SELECT pg_temp.uses('Partial Aggregate', 'SELECT topk_union(s) FROM expected_k') AS parallel,
	topk_union(s) = (SELECT topk_agg(v, 10) FROM facts WHERE k < 30) AS union
FROM expected_k WHERE k < 30;
SELECT topk_union(s) FILTER (WHERE k < 0) IS NULL AS none FROM expected_k;
-- Numbers with several texts, of which each worker sees some.
SELECT count(*),
	string_agg(item, ' ' ORDER BY item COLLATE "C") AS smallest
FROM topk_items((SELECT topk_agg(((i % 5)::text || CASE i % 3 WHEN 0 THEN '' WHEN 1 THEN '.0' ELSE '.00' END)::numeric, 10) FROM facts));
-- What is wrong in a worker, or only where they come together, is wrong for all.
CREATE FUNCTION error_of(command text) RETURNS text AS $$
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT error_of('SELECT topk_agg(v, 10, -w) FROM facts WHERE w > 0') ~ '^22023 weight -[0-9]+ is negative$' AS worker,
	error_of('SELECT topk_agg(v, 10, 1000000000000000) FROM facts') AS total,
	error_of('SELECT topk_agg(v, 10 + i / 58000) FROM facts')
		~ '^22023 (topk with k 1[01] does not go with k 1[01]|k changes within a group, from 1[01] to 1[01])$' AS combining;
RESET ALL;
SET search_path = plans, public;

-- By topk_add alone, one by one, backwards; by unions of parts.
CREATE FUNCTION one_by_one(n int, k int, seed bigint, factor bigint) RETURNS topk AS $$
DECLARE
	s topk := topk_empty(k, seed);
BEGIN
	FOR v IN REVERSE n..1 LOOP
		s := topk_add(topk_add(topk_add(s, v, v * factor / 2), v, 0), v, v * factor - v * factor / 2);
	END LOOP;
	RETURN s;
END
$$ LANGUAGE plpgsql;
SELECT k, seed, f, one_by_one(300, k, seed, f) = s AS added, thirds = s AS thirds, low || high = s AND high || low = s AS halves, s = steps AS in_steps
FROM (VALUES (1, 0, 1), (5, -7, 3), (100, 0, 1000), (101, 5, 1000000000000), (10000, 9223372036854775807, 7)) t(k, seed, f), LATERAL (
	SELECT topk_agg(v, k, v * f, seed) AS s, topk_agg(v, k, v * f, seed) FILTER (WHERE v < 3) AS low, topk_agg(v, k, v * f, seed) FILTER (WHERE v >= 3) AS high,
		topk_agg(v, k, v * f, seed) FILTER (WHERE v % 3 = 0) || topk_agg(v, k, v * f, seed) FILTER (WHERE v % 3 = 1)
			|| topk_agg(v, k, v * f, seed) FILTER (WHERE v % 3 = 2) AS thirds
	FROM generate_series(1, 300) v) b, LATERAL (SELECT topk_agg(v, k, f, seed) AS steps FROM generate_series(1, 300) v, generate_series(1, v)) x
ORDER BY k;
-- Around the boundary: from the last value that has a counter of its own on, a value takes over the least.
SELECT n,
	counters_used,
	total,
	max_error,
	(SELECT count(*) FROM topk_items(s, 10000) WHERE error > 0) AS with_error,
	(SELECT bool_and(count = 1) FROM topk_items(s, 10000)) AS all_one,
	s::bytea::topk = s AS read
FROM unnest(ARRAY[1, 2, 3, 4, 5, 998, 999, 1000, 1001, 1002, 2000, 2001]) n,
	LATERAL (SELECT topk_agg(v, 7) AS s FROM generate_series(1, n) v) t,
	topk_info(s) ORDER BY n;
-- States at all sizes: as from a union of one by one.
SELECT bool_and(s = lag || topk_add(topk_empty(50), 'v' || n, n)) AS grown, bool_and(s = topk_add(lag, 'v' || n, n)) AS added, count(*)
FROM (SELECT n,
	s,
	lag(s) OVER (ORDER BY n) AS lag
	FROM generate_series(1, 300) n,
	LATERAL (SELECT topk_agg('v' || v, 50, v) AS s FROM generate_series(1, n) v) t) u
WHERE lag IS NOT NULL;

-- The aggregate over each row's frame, against a sub-query for the row.
CREATE TABLE w AS SELECT pos,
	pos * pos / 40 AS key,
	CASE WHEN pos % 7 = 3 THEN NULL ELSE pos * 37 % 50 END AS v,
	CASE WHEN pos % 5 <> 2 THEN pos * 100000000::bigint END AS weight
	FROM generate_series(1, 40) pos;
CREATE FUNCTION in_frame(frame text, sees text, OUT rows bigint, OUT agg boolean, OUT union_ boolean, OUT counts boolean) AS $$
BEGIN
	EXECUTE format($sql$
		SELECT count(*), bool_and(s.a = x.a), bool_and(s.u IS NOT DISTINCT FROM x.u), bool_and(s.n = x.n)
		FROM (SELECT pos,
			topk_agg(v, 5, weight) OVER frame AS a,
			topk_union(topk_add(topk_empty(5), v)) OVER frame AS u,
			topk_count(topk_agg(v, 5) OVER frame, 37) AS n
			FROM w WINDOW frame AS (%s)) s
		JOIN w r USING (pos),
			LATERAL (SELECT topk_agg(o.v, 5, o.weight) AS a,
				topk_union(topk_add(topk_empty(5), o.v)) AS u,
				count(*) FILTER (WHERE o.v = 37) AS n
				FROM w o
				WHERE %s) x
		$sql$, frame, sees)
	INTO rows, agg, union_, counts;
END
$$ LANGUAGE plpgsql;
SELECT n, i.* FROM (VALUES
	(1, 'ORDER BY pos', 'o.pos <= r.pos'),
	(2, '', 'true'),
	(3, 'ORDER BY pos ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'o.pos >= r.pos'),
	(4, 'ORDER BY pos ROWS BETWEEN 6 PRECEDING AND 2 PRECEDING', 'o.pos BETWEEN r.pos - 6 AND r.pos - 2'),
	(5, 'ORDER BY key RANGE BETWEEN 10 PRECEDING AND 5 FOLLOWING', 'o.key BETWEEN r.key - 10 AND r.key + 5'),
	(6, 'ORDER BY pos ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW', 'o.pos BETWEEN r.pos - 3 AND r.pos + 3 AND o.pos <> r.pos'),
	(7, 'PARTITION BY pos % 3 ORDER BY pos', 'o.pos % 3 = r.pos % 3 AND o.pos <= r.pos')) t(n, frame, sees), in_frame(frame, sees) i
ORDER BY n;
-- A frame that grows past the counters there are.
SELECT bool_and(total = pos) AS totals,
	bool_and(used = least(pos, 1000)) AS used,
	count(*)
FROM (SELECT pos, (topk_info(s)).total, (topk_info(s)).counters_used AS used
	FROM (SELECT v AS pos, topk_agg('value ' || v, 1) OVER (ORDER BY v) AS s FROM generate_series(1, 1500) v) t) u;

SET client_min_messages = warning;
DROP SCHEMA plans CASCADE;
