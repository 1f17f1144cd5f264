-- Filters in layers: growing beyond what they were sized for, their union, what is
-- stored of them, and what goes wrong.

CREATE SCHEMA grow;
SET search_path = grow, public;
\i test/sql/fails.sql

CREATE FUNCTION add_range(f bloom, first int, last int) RETURNS bloom AS $$
BEGIN
	FOR v IN first..last LOOP f := bloom_add(f, v); END LOOP;
	RETURN f;
END
$$ LANGUAGE plpgsql;

-- The first value that has no room makes a layer for twice as many.
CREATE TABLE grown AS SELECT 0 AS step, bloom_agg(v) AS f FROM generate_series(1, 100) v;
INSERT INTO grown SELECT 1, add_range(f, 101, 101) FROM grown WHERE step = 0;
INSERT INTO grown SELECT 2, add_range(f, 102, 300) FROM grown WHERE step = 1;
INSERT INTO grown SELECT 3, add_range(f, 301, 310) FROM grown WHERE step = 2;
INSERT INTO grown SELECT 4, add_range(f, 311, 3000) FROM grown WHERE step = 3;
SELECT step, i.capacity, i.layers, i.hashes, i.target_rate, i.scalable, i.saturated, i.expected_rate <= 1.2 * 0.01 AS rate_is_kept, abs(i.items - n) <= 0.05 * n AS items,
	bloom_count(f) = i.items AS count, i.bytes = pg_column_size(f::bytea || '') AS bytes, round((i.fill_ratio - i.bits_set / i.bits::numeric)::numeric, 9) AS fill, i.value_type
FROM grown JOIN (VALUES (0, 100), (1, 101), (2, 300), (3, 310), (4, 3000)) t(step, n) USING (step), LATERAL bloom_info(f) i ORDER BY step;
SELECT step, bool_and(bloom_contains(f, v)) AS nothing_denied FROM grown JOIN (VALUES (0, 100), (1, 101), (2, 300), (3, 310), (4, 3000)) t(step, n) USING (step), generate_series(1, n) v GROUP BY step ORDER BY step;
SELECT step, count(*) FILTER (WHERE bloom_contains(f, -v)) <= 20000 * 1.2 * 0.01 + 3 * sqrt(20000 * 0.012) AS few_others FROM grown, generate_series(1, 20000) v GROUP BY step ORDER BY step;
-- A value that is there already changes nothing; the filter itself is given back.
SELECT bool_and(bloom_add(f, 7) = f AND bloom_add(f, NULL) = f AND add_range(f, 1, 100) = f) AS unchanged FROM grown;
SELECT bloom_add(NULL::bloom, 1) IS NULL AS "null";

-- Union: all layers of both; rates add up. What one of them holds comes once.
SELECT (bloom_info(a.f || b.f)).layers, (a.f || a.f) = a.f AS itself, (a.f || b.f) || b.f = a.f || b.f AS again, (bloom_info(a.f || b.f)).saturated
FROM (SELECT bloom_agg(v) AS f FROM generate_series(1, 1000) v) a, (SELECT bloom_agg(v, 0.01) AS f FROM generate_series(501, 2000) v) b;
SELECT a.step AS a, b.step AS b, a.f || b.f = b.f AS later_one, b.f || a.f = b.f AS either_way FROM grown a JOIN grown b ON a.step <= b.step ORDER BY 1, 2;
SELECT bool_and(bloom_contains(u, v)) AS nothing_denied, bool_and((bloom_info(u)).layers = 4) AS layers
FROM (SELECT bloom_union(f) AS u FROM (SELECT bloom_agg(v) AS f FROM generate_series(1, 40) v GROUP BY v % 4) t) t, generate_series(1, 40) v;
SELECT bloom_union(f) = '\x211000' AS nothing, bloom_union(NULL::bloom) IS NULL AS none FROM (VALUES ('\x211000'::bloom)) t(f);
SELECT bloom_union(u) = bloom_agg(1) AS parameterless FROM (SELECT bloom_agg(1) UNION ALL SELECT '\x211000') t(u);
-- Beyond twice the target there is a warning, once for each result.
SELECT layers, round(expected_rate::numeric, 2) AS rate, saturated
FROM (SELECT bloom_union(f) AS u FROM (SELECT bloom_agg(v) AS f FROM generate_series(1, 4000) v GROUP BY v % 4) t) t, LATERAL bloom_info(u);
SELECT (bloom_info(a.f || b.f || c.f)).layers
FROM (SELECT bloom_agg(v) AS f FROM generate_series(1, 3000) v) a, (SELECT bloom_agg(v) AS f FROM generate_series(3001, 6000) v) b, (SELECT bloom_agg(v) AS f FROM generate_series(6001, 9000) v) c;

-- 16 layers are the most.
SET client_min_messages = error;
SELECT (bloom_info(bloom_union(f))).layers, (bloom_info(bloom_union(f))).saturated FROM (SELECT bloom_agg(v) AS f FROM generate_series(1, 1600) v GROUP BY v % 16) t;
SELECT (bloom_info(bloom_union(f))).layers AS equal_ones FROM (SELECT bloom_agg(v) AS f FROM generate_series(1, 1600) v GROUP BY v % 16) t, generate_series(1, 3);
SET client_min_messages = notice;
CALL pg_temp.fails('SELECT bloom_union(f) FROM (SELECT bloom_agg(v) AS f FROM generate_series(1, 1700) v GROUP BY v % 17) t');
SET client_min_messages = error;
CREATE TABLE full_ones AS SELECT bloom_union(f) AS f FROM (SELECT bloom_agg(v) AS f FROM generate_series(1, 16) v GROUP BY v) t;
SET client_min_messages = notice;
CALL pg_temp.fails('SELECT grow.add_range(f, 100, 200) FROM grow.full_ones');
SELECT bloom_add(f, 16) = f AS there_already FROM full_ones;
-- No layer beyond 1 GB: a filter that says it was made for 2^32 values and is full.
CALL pg_temp.fails($$SELECT bloom_add(bloom, 5) FROM CAST('\x2112027b14ae47e17a843f01' || '0000000001000000' || '0000000001000000' || '0100000000000000' || '07' || '09' || '01' || repeat('00', 63) AS bloom)$$);

-- What does not go together.
CALL pg_temp.fails('SELECT bloom_agg(v) || bloom_agg(v, 0.02) FROM generate_series(1, 10) v');
CALL pg_temp.fails('SELECT bloom_agg(v) || bloom_agg(v, 100, 0.01) FROM generate_series(1, 10) v');
CALL pg_temp.fails('SELECT bloom_agg(v, 100, 0.02) || bloom_agg(v) FROM generate_series(1, 10) v');
CALL pg_temp.fails('SELECT bloom_empty(10, 0.01) || bloom_agg(v) FROM generate_series(1, 10) v');
CALL pg_temp.fails('SELECT bloom_agg(v) || bloom_agg(v::text) FROM generate_series(1, 10) v');
CALL pg_temp.fails('SELECT bloom_union(u) FROM (SELECT bloom_agg(1) UNION ALL SELECT bloom_agg(2, 100, 0.01)) t(u)');
CALL pg_temp.fails('SELECT bloom_contains(bloom_agg(v), ''a'') FROM generate_series(1, 10) v');
CALL pg_temp.fails('SELECT bloom_add(bloom_agg(v), ''a'') FROM generate_series(1, 10) v');
CALL pg_temp.fails('SELECT bloom_contains(f, ''a''::text) FROM grow.grown WHERE step = 4');

-- Stored, copied, compared; look-ups read a head and a block for each layer.
SELECT bool_and(f::text::bloom = f) AS text, bool_and(f::bytea::bloom = f) AS bytea, bool_and(bloom_hash(f) = bloom_hash(f::text::bloom)) AS hash FROM grown;
SELECT count(DISTINCT f) AS filters, count(DISTINCT bloom_hash_extended(f, 3)) AS hashes FROM grown;
CREATE TABLE stored AS SELECT add_range(bloom_agg(v), 20001, 20050) AS f FROM generate_series(1, 20000) v;
SELECT bool_and(bloom_contains(f, v)) AS nothing_denied, pg_column_size(f) > 60000 AS large FROM stored, generate_series(1, 20050) v GROUP BY f;
SELECT bool_and(bloom_contains((SELECT f FROM stored), v)) AS in_a_subquery FROM generate_series(1, 20050, 100) v;
SELECT bool_and(bloom_contains(stored.f, -v) = bloom_contains(g, -v)) AS others_too FROM stored, LATERAL (SELECT f || '\x211000'::bloom AS g) t, generate_series(1, 2000) v;
-- As a value that comes and goes: an upsert.
CREATE TABLE days (day int PRIMARY KEY, f bloom NOT NULL);
INSERT INTO days SELECT 1, bloom_agg(v) FROM generate_series(1, 10) v;
INSERT INTO days SELECT 1, bloom_agg(11) ON CONFLICT (day) DO UPDATE SET f = bloom_add(days.f, 11);
UPDATE days SET f = bloom_add(bloom_add(f, 12), 5);
SELECT (bloom_info(f)).layers, (bloom_info(f)).items, bool_and(bloom_contains(f, v)) AS nothing_denied FROM days, generate_series(1, 12) v GROUP BY f;

-- Functions never change their arguments.
CREATE FUNCTION variables(a bloom, b bloom) RETURNS text AS $$
DECLARE
	a_before bytea := a::bytea || '\x00';
	b_before bytea := b::bytea || '\x00';
	other bloom := a;
BEGIN
	other := bloom_add(a, -5) || b;
	SELECT bloom_union(f) INTO other FROM unnest(ARRAY[a, b, other, a]) f;
	FOR v IN 5001..5040 LOOP other := bloom_add(other, v); END LOOP;
	RETURN CASE WHEN a::bytea || '\x00' = a_before AND b::bytea || '\x00' = b_before AND bloom_contains(other, 5040) THEN 'nothing changed' ELSE 'changed' END;
END
$$ LANGUAGE plpgsql;
SET client_min_messages = error;
SELECT variables(a.f, b.f) AS stored FROM grown a, grown b WHERE a.step = 3 AND b.step = 4;
SELECT variables(bloom_agg(v), bloom_agg(-v)) AS in_memory FROM generate_series(1, 20) v;

SET client_min_messages = warning;
DROP SCHEMA grow CASCADE;
