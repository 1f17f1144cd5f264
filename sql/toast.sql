-- Values of one content hash the same however they are stored: plain with a long
-- or short length word, compressed, out of line, both, or as a slice.

SET default_toast_compression = 'pglz';
-- Short; not long enough to compress; well compressible (3 and 4, which fits a
-- page); incompressible (5); compressible, but still long (6).
CREATE TEMP TABLE contents (id int, v text);
INSERT INTO contents VALUES (1, 'short'), (2, repeat('a', 100)), (3, repeat('compressible ', 800)), (4, repeat('b', 7000));
INSERT INTO contents SELECT 5, string_agg(sha512(i::text::bytea)::text, '' ORDER BY i) FROM generate_series(1, 80) i;
INSERT INTO contents SELECT 6, string_agg(repeat(sha512(i::text::bytea)::text, 3), '' ORDER BY i) FROM generate_series(1, 80) i;
SELECT id, length(v) FROM contents ORDER BY id;

CREATE TEMP TABLE stored (id int, extended text, external text, main text, plain text);
ALTER TABLE stored ALTER extended SET STORAGE extended, ALTER external SET STORAGE external,
	ALTER main SET STORAGE main, ALTER plain SET STORAGE plain;
-- `plain` can't hold more than a page does. Appending nothing makes a fresh value.
INSERT INTO stored SELECT id, v || '', v || '', v || '', CASE WHEN length(v) <= 7000 THEN v || '' END FROM contents;
-- What is stored is of all kinds: as it is, compressed, out of line.
SELECT id, pg_column_compression(extended) IS NOT NULL AS compressed, pg_column_size(extended) > 2100 AS out_of_line,
	pg_column_compression(external) IS NULL AS external_is_not, pg_column_size(external) >= length(v) AS as_long,
	pg_column_compression(main) IS NOT NULL AS main, pg_column_size(plain) >= length(v) AS plain
FROM stored JOIN contents USING (id) ORDER BY id;
SELECT pg_relation_size(reltoastrelid) > 0 AS out_of_line FROM pg_class WHERE oid = 'stored'::regclass;

-- Hashes and sketches, with the value fetched by a scan, by a sort and by an array.
SELECT id, sketch_hash(extended) = sketch_hash(v) AS extended, sketch_hash(external) = sketch_hash(v) AS external,
	sketch_hash(main) = sketch_hash(v) AS main, sketch_hash(plain) = sketch_hash(v) AS plain,
	hll_add(hll_empty(), extended) = hll_add(hll_empty(), v || '') AS added,
	hll_add(hll_empty(), external) = hll_add(hll_empty(), v || '') AS added_external
FROM stored JOIN contents USING (id) ORDER BY id;
SELECT hll_agg(extended) = hll_agg(v || '') AS extended, hll_agg(external) = hll_agg(v || '') AS external,
	hll_agg(main) = hll_agg(v || '') AS main, hll_agg(extended ORDER BY id DESC) = hll_agg(v || '') AS sorted,
	hll_agg(DISTINCT extended) = hll_agg(v || '') AS distinct, approx_count_distinct(external) AS six
FROM stored JOIN contents USING (id);
SELECT hll_agg(plain) = hll_agg(v || '') AS plain FROM stored JOIN contents USING (id) WHERE plain IS NOT NULL;
SELECT id, sketch_hash(ARRAY[extended, external]) = sketch_hash(ARRAY[v, v]) AS array,
	sketch_hash(ROW(extended, external)) = sketch_hash(ROW(v, v)) AS row,
	sketch_hash(s.extended || s.main) = sketch_hash(c.v || c.v) AS joined
FROM stored s JOIN contents c USING (id) ORDER BY id;
-- Slices.
SELECT id, sketch_hash(substr(extended, 1, 5)) = sketch_hash(substr(v, 1, 5)) AS extended,
	sketch_hash(substr(external, 1, 5)) = sketch_hash(left(v || '', 5)) AS external,
	sketch_hash(substr(external, 3001, 2000)) = sketch_hash(substr(v || '', 3001, 2000)) AS middle,
	sketch_hash(substr(extended, 1, length(v))) = sketch_hash(v) AS whole
FROM stored JOIN contents USING (id) ORDER BY id;
-- Variables of PL/pgSQL, and values that come back from a function.
CREATE FUNCTION pg_temp.by_variable(wanted int) RETURNS boolean AS $$
DECLARE
	a text;
	b text;
	h hll := hll_empty();
BEGIN
	SELECT extended, external INTO a, b FROM stored WHERE id = wanted;
	h := hll_add(hll_add(h, a), b);
	RETURN sketch_hash(a) = sketch_hash(b) AND hll_count(h) = 1
		AND sketch_hash(a) = (SELECT sketch_hash(v) FROM contents WHERE id = wanted);
END
$$ LANGUAGE plpgsql;
SELECT id, pg_temp.by_variable(id) FROM contents ORDER BY id;

-- The same for other types with a length word. Numbers, bits and ranges are made
-- from the length, which 3 and 5 share.
CREATE TEMP TABLE others (id int, b bytea, n numeric, c char(8000), a text[], j jsonb, v varbit, r numrange);
INSERT INTO others SELECT id, convert_to(v, 'UTF8'), (repeat('12345', length(v) / 5 + 1))::numeric, left(v, 8000),
	ARRAY[v, NULL, v], jsonb_build_object('v', v, 'w', ARRAY[v]), repeat('10', length(v))::varbit,
	numrange(0, (repeat('7', length(v)) || '.50')::numeric)
FROM contents;
SELECT id, sketch_hash(b) = sketch_hash(convert_to(c.v, 'UTF8')) AS bytea,
	sketch_hash(n) = sketch_hash((repeat('12345', length(c.v) / 5 + 1) || '.00')::numeric) AS numeric,
	sketch_hash(c) = sketch_hash(rtrim(left(c.v, 8000))) AS bpchar,
	sketch_hash(a) = sketch_hash(ARRAY[c.v, NULL, c.v]) AS array,
	sketch_hash(j) = sketch_hash(jsonb_build_object('w', ARRAY[c.v], 'v', c.v)) AS jsonb,
	sketch_hash(o.v) = sketch_hash(repeat('10', length(c.v))::varbit) AS varbit,
	sketch_hash(r) = sketch_hash(numrange(0, (repeat('7', length(c.v)) || '.5')::numeric)) AS range,
	sketch_hash(ROW(b, n, a)) = sketch_hash(ROW(convert_to(c.v, 'UTF8'), o.n + 0, ARRAY[c.v, NULL, c.v])) AS row
FROM others o JOIN contents c USING (id) ORDER BY id;
SELECT approx_count_distinct(b) AS bytea, approx_count_distinct(n) AS numeric, approx_count_distinct(c) AS bpchar,
	approx_count_distinct(a) AS array, approx_count_distinct(j) AS jsonb, approx_count_distinct(v) AS varbit,
	approx_count_distinct(r) AS range, approx_count_distinct(o) AS rows
FROM (SELECT * FROM others UNION ALL SELECT * FROM others) o;

-- Sketches themselves: in line with a short or long length word, out of line.
CREATE TEMP TABLE sketches (n int, external hll, extended hll, plain hll);
ALTER TABLE sketches ALTER extended SET STORAGE extended, ALTER plain SET STORAGE plain;
INSERT INTO sketches
	SELECT n, hll_agg(v), hll_agg(v), CASE WHEN n < 2000 THEN hll_agg(v) END
	FROM (VALUES (1), (40), (1000), (9000)) t(n), LATERAL generate_series(1, n) v GROUP BY n;
INSERT INTO sketches SELECT n, hll_agg(v, 16), hll_agg(v, 16), NULL FROM (VALUES (150000)) t(n), generate_series(1, n) v GROUP BY n;
SELECT n, external = extended AS equal, coalesce(plain = external, n > 2000) AS plain,
	hll_count(external) = hll_count(extended) AS count, external || extended = external AS union,
	hll_add(extended, 1) = extended AS add, hll_reduce(external, 10) = hll_reduce(extended, 10) AS reduce,
	(hll_info(external)).bytes = (hll_info(extended)).bytes AS bytes, external::bytea = extended::bytea AS bytea,
	hll_hash(external) = hll_hash(extended) AS hash
FROM sketches ORDER BY n;
SELECT n, hll_union(h) = external AS union, count(DISTINCT h) AS one
FROM sketches, LATERAL (VALUES (external), (extended), (plain)) t(h) GROUP BY n, external ORDER BY n;
-- Incompressible, and so not compressed in vain: STORAGE external.
SELECT attname, attstorage FROM pg_attribute WHERE attrelid = 'sketches'::regclass AND attname = 'external';
SELECT n, pg_column_compression(external) IS NULL AS as_it_is FROM sketches WHERE n > 2000 ORDER BY n;
