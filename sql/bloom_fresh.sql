-- What bloom_contains keeps of a stored filter lasts no longer than it is sure to
-- be the same: whoever changes the filter, wherever between two look-ups, the next
-- one sees it.

CREATE SCHEMA fresh;
SET search_path = fresh, public;
CREATE TABLE filters (id int PRIMARY KEY, f bloom);
INSERT INTO filters SELECT 1, bloom_agg(v, 50000, 0.001) FROM generate_series(1, 1000) v;
-- Of the values 1 .. n, how many there are: by so many look-ups in one query that the filter is read whole.
CREATE FUNCTION yes(n int) RETURNS bigint AS
	'SELECT count(*) FROM generate_series(1, n) v WHERE bloom_contains((SELECT f FROM filters WHERE id = 1), v)' LANGUAGE sql;
SELECT pg_column_size(f) > 60000 AS stored, yes(1000) AS all_there FROM filters;

-- Between statements of one prepared statement, with plans of both kinds.
PREPARE look_up(int) AS SELECT bloom_contains(f, $1) AS one, (SELECT count(*) FROM generate_series($1, $1 + 99) v WHERE bloom_contains(f, v)) AS hundred
	FROM filters WHERE id = 1;
EXECUTE look_up(1000001);
UPDATE filters SET f = f || (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(1000001, 1000100) v);
EXECUTE look_up(1000001);
SET plan_cache_mode = force_generic_plan;
EXECUTE look_up(2000001);
UPDATE filters SET f = f || (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(2000001, 2000100) v);
EXECUTE look_up(2000001);
RESET plan_cache_mode;

-- In a loop: add, then look the new value up, and the next one, which is not there.
-- The function's expressions are prepared once and keep what they know.
CREATE FUNCTION add_and_look(first int, n int, OUT denied int, OUT too_soon int, OUT whole bigint) AS $$
BEGIN
	denied := 0; too_soon := 0;
	FOR v IN first..first + n - 1 LOOP
		too_soon := too_soon + (SELECT bloom_contains(f, v) FROM filters WHERE id = 1)::int;
		UPDATE filters SET f = bloom_add(f, v) WHERE id = 1;
		denied := denied + (NOT bloom_contains((SELECT f FROM filters WHERE id = 1), v))::int
			+ (NOT (SELECT bloom_contains(f, v) FROM filters WHERE id = 1))::int;
	END LOOP;
	SELECT count(*) INTO whole FROM generate_series(first, first + n - 1) v WHERE bloom_contains((SELECT f FROM filters WHERE id = 1), v);
END
$$ LANGUAGE plpgsql;
SELECT denied, too_soon <= 1 AS seldom_too_soon, whole FROM add_and_look(3000001, 100);
-- The same with many look-ups between the changes.
CREATE FUNCTION add_and_look_often(first int, n int) RETURNS TABLE(step int, there bigint) AS $$
BEGIN
	FOR step IN 1..n LOOP
		UPDATE filters SET f = f || (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(first + 100 * step, first + 100 * step + 99) v);
		RETURN QUERY SELECT step, count(*) FROM generate_series(first, first + 100 * n + 99) v WHERE bloom_contains((SELECT f FROM filters WHERE id = 1), v);
	END LOOP;
END
$$ LANGUAGE plpgsql;
SELECT step, there - 100 * step BETWEEN 0 AND 4 AS as_many FROM add_and_look_often(4000000, 5);
-- A variable that holds a stored filter, looked up again and again, given another.
CREATE FUNCTION by_variable(OUT before int, OUT after int, OUT other int, OUT back int) AS $$
DECLARE
	held bloom;
	first bloom;
BEGIN
	before := 0; after := 0; other := 0; back := 0;
	SELECT f INTO held FROM filters WHERE id = 1;
	first := held;
	FOR v IN 5000001..5000200 LOOP before := before + bloom_contains(held, v)::int; END LOOP;
	UPDATE filters SET f = f || (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(5000001, 5000200) v);
	FOR v IN 5000001..5000200 LOOP
		after := after + bloom_contains(held, v)::int;
		IF v = 5000100 THEN SELECT f INTO held FROM filters WHERE id = 1; END IF;
	END LOOP;
	FOR v IN 5000001..5000200 LOOP other := other + bloom_contains(held, v)::int; END LOOP;
	held := first;
	FOR v IN 5000001..5000200 LOOP back := back + bloom_contains(held, v)::int; END LOOP;
END
$$ LANGUAGE plpgsql;
SELECT before <= 3 AS not_yet, after - 100 BETWEEN 0 AND 3 AS from_the_middle_on, other, back = before AS the_first_again FROM by_variable();

-- Within one transaction, with savepoints rolled back: what was rolled back is gone.
BEGIN;
SELECT yes(1000);
SAVEPOINT a;
UPDATE filters SET f = (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(501, 1500) v);
SELECT yes(500) < 5 AS half_is_gone, yes(1500) - yes(500) AS and_half_is_there;
SAVEPOINT b;
UPDATE filters SET f = bloom_empty(50000, 0.001);
SELECT yes(1500) AS nothing;
ROLLBACK TO b;
SELECT yes(500) < 5 AS half_is_gone, yes(1500) - yes(500) AS and_half_is_there;
ROLLBACK TO a;
SELECT yes(1000);
UPDATE filters SET f = (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(10001, 10100) v);
SELECT yes(10100) - yes(10000) AS another;
ROLLBACK;
SELECT yes(1000);
-- The same in a block with an exception, in a loop.
CREATE FUNCTION rolled_back(n int) RETURNS TABLE(step int, inside bigint, outside bigint) AS $$
BEGIN
	FOR step IN 1..n LOOP
		BEGIN
			UPDATE filters SET f = (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(1, 100 * step) v);
			inside := (SELECT count(*) FROM generate_series(1, 100 * step) v WHERE bloom_contains((SELECT f FROM filters WHERE id = 1), v));
			RAISE EXCEPTION USING ERRCODE = 'ZZ001';
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN
			outside := (SELECT count(*) FROM generate_series(1, 1000) v WHERE bloom_contains((SELECT f FROM filters WHERE id = 1), v));
		END;
		RETURN QUERY SELECT step, inside, outside;
	END LOOP;
END
$$ LANGUAGE plpgsql;
SELECT * FROM rolled_back(5);

-- Rows that have gone: deleted and put in again, the table truncated, rewritten, vacuumed.
CREATE FUNCTION replace_with(first int, n int) RETURNS boolean AS $$
	UPDATE filters SET f = (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(first, first + n - 1) v) WHERE id = 1 RETURNING true
$$ LANGUAGE sql;
PREPARE count_from(int, int) AS SELECT count(*) AS there FROM generate_series($1, $1 + $2 - 1) v WHERE bloom_contains((SELECT f FROM filters WHERE id = 1), v);
EXECUTE count_from(1, 1000);
DELETE FROM filters;
EXECUTE count_from(1, 1000);
INSERT INTO filters SELECT 1, bloom_agg(v, 50000, 0.001) FROM generate_series(20001, 20400) v;
VACUUM filters;
EXECUTE count_from(20001, 400);
TRUNCATE filters;
INSERT INTO filters SELECT 1, bloom_agg(v, 50000, 0.001) FROM generate_series(30001, 30400) v;
EXECUTE count_from(30001, 400);
VACUUM FULL filters;
EXECUTE count_from(30001, 400);
SELECT replace_with(40001, 300);
CLUSTER filters USING filters_pkey;
EXECUTE count_from(40001, 300);
ALTER TABLE filters ALTER f TYPE bloom USING bloom_add(f, 50001);
EXECUTE count_from(40001, 300);
EXECUTE count_from(50001, 1);
-- A cursor sees the filter of its snapshot, its session the new one.
BEGIN;
DECLARE held CURSOR FOR SELECT bloom_contains((SELECT f FROM filters WHERE id = 1), v) AS held FROM generate_series(60001, 60200) v;
FETCH 1 FROM held;
SELECT replace_with(60001, 200);
EXECUTE count_from(60001, 200);
MOVE 150 FROM held;
FETCH 1 FROM held;
COMMIT;
EXECUTE count_from(60001, 200);
-- A statement that changes the filter and looks it up sees it as it was, and returns it as it is.
WITH changed AS (UPDATE filters SET f = f || (SELECT bloom_agg(v, 50000, 0.001) FROM generate_series(70001, 70200) v) RETURNING f)
SELECT count(*) FILTER (WHERE bloom_contains(changed.f, v)) AS returned, count(*) FILTER (WHERE bloom_contains((SELECT f FROM filters WHERE id = 1), v)) <= 3 AS as_it_was
FROM changed, generate_series(70001, 70200) v;
EXECUTE count_from(70001, 200);
-- Two rows in turn, of which one changes for each value that is looked up.
CREATE FUNCTION change(v int) RETURNS int AS $$
BEGIN
	UPDATE filters SET f = bloom_add(f, v) WHERE id = 1;
	RETURN v;
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION see(v int) RETURNS boolean AS $$
BEGIN
	RETURN (SELECT bloom_contains(f, v) FROM filters WHERE id = 1);
END
$$ LANGUAGE plpgsql;
SELECT count(*) FILTER (WHERE see(change(v))) AS seen_at_once, count(*) FROM generate_series(80001, 80100) v;
EXECUTE count_from(80001, 100);

SET client_min_messages = warning;
DROP SCHEMA fresh CASCADE;
