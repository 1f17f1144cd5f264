-- Bytes that come in from outside: every reason for which they are no bloom, and
-- every form that is one. The layout is in docs/FORMAT.md; the short of it:
--
--   21 10 02          bloom of version 1, XXH3 and form 0, integers
--   0a 00 .. 00       capacity 10
--   7b 14 .. 84 3f    rate 0.01
--   07                seven bits for a value
--   64 bytes          one block
SELECT bloom_agg(1, 10, 0.01);

-- What text input and the cast from bytea say, if it is the same. As many bytes
-- of zero follow the digits.
CREATE FUNCTION pg_temp.input(digits text, zeros int) RETURNS text AS $$
DECLARE
	image bytea := decode(replace(digits, ' ', '') || repeat('00', zeros), 'hex');
	by_text text;
	by_bytea text;
BEGIN
	BEGIN
		by_text := 'accepted as ' || substr(image::text::bloom::text, 1, 60);
	EXCEPTION WHEN OTHERS THEN
		by_text := SQLSTATE || ' ' || SQLERRM;
	END;
	BEGIN
		by_bytea := 'accepted as ' || substr(image::bloom::text, 1, 60);
	EXCEPTION WHEN OTHERS THEN
		by_bytea := SQLSTATE || ' ' || SQLERRM;
	END;
	RETURN CASE WHEN by_text = by_bytea THEN replace(by_text, 'malformed bloom: ', '') ELSE by_text || ', but ' || by_bytea END;
END
$$ LANGUAGE plpgsql;
DO $$ BEGIN PERFORM '\x1110000000'::bloom; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%: %', SQLSTATE, SQLERRM; END $$;

SELECT what, pg_temp.input(digits, zeros) FROM (VALUES
	-- Too short, or too long.
	(1, 'nothing', '', 0),
	(2, 'half a header', '21 10', 0),
	(3, 'half a seed', '21 18 02 2a', 3),
	(4, 'a byte of a capacity', '21 10 00 0a', 0),
	(5, 'no rate', '21 10 00 0a', 7),
	(6, 'no number of hashes', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f', 0),
	(7, 'no block', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 0),
	(8, 'a byte of a block', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 1),
	(9, 'a block less a byte', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 63),
	(10, 'a block and a byte', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 65),
	(11, 'two blocks less a byte', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 127),
	(12, 'a small block for a large one', '21 10 00 0a 00 00 00 00 00 00 00 2d 43 1c eb e2 36 1a 3f 0a', 64),
	(13, 'a large block less a small one', '21 10 00 0a 00 00 00 00 00 00 00 2d 43 1c eb e2 36 1a 3f 0a', 448),
	(14, 'a header and a byte', '21 10 00', 1),
	-- Not a sketch of this version of this type.
	(20, 'another sketch', '11 10 00 0e 00', 0),
	(21, 'no sketch', '01 10 00', 0),
	(22, 'version 0', '20 10 00', 0),
	(23, 'version 2', '22 10 00', 0),
	(24, 'hash family 0', '21 00 00', 0),
	(25, 'hash family 2', '21 20 00', 0),
	(26, 'form 5', '21 15 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 64),
	(27, 'form 7', '21 17 00', 0),
	(28, 'a kind of value too high', '21 10 1d 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07 01', 63),
	(29, 'arrays of nothing', '21 10 40 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07 01', 63),
	-- Parameters.
	(40, 'a seed of zero', '21 18 00 00 00 00 00 00 00 00 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 64),
	(41, 'a seed and nothing else', '21 18 00 2a', 7),
	(42, 'form 1 without parameters', '21 11 00', 0),
	(43, 'capacity 0', '21 10 00 00 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 64),
	(44, 'capacity 2^63', '21 10 00 00 00 00 00 00 00 00 80 7b 14 ae 47 e1 7a 84 3f 07', 64),
	(45, 'rate 0', '21 10 00 0a 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 03', 64),
	(46, 'rate -0.01', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 bf 03', 64),
	(47, 'rate 1', '21 10 00 0a 00 00 00 00 00 00 00 00 00 00 00 00 00 f0 3f 03', 64),
	(48, 'rate NaN', '21 10 00 0a 00 00 00 00 00 00 00 00 00 00 00 00 00 f8 7f 03', 64),
	(49, 'rate infinity', '21 10 00 0a 00 00 00 00 00 00 00 00 00 00 00 00 00 f0 7f 03', 64),
	(50, 'no hashes', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 00', 64),
	(51, '65 hashes', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 41', 64),
	-- Forms that other contents have.
	(60, 'a bit, but no kind of value', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07 01', 63),
	(61, 'a kind of value, but no bit', '21 10 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 64),
	(62, 'a kind of value, and nothing else', '21 10 02', 0),
	-- Form 1, for building: behind the blocks a count and 16 hashes.
	(70, 'no tail', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07 01', 63),
	(71, 'a tail less a byte', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07 01', 63 + 131),
	(72, 'a tail and no block', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07 01', 131),
	(73, 'a value that waits, but no kind', '21 11 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07' || repeat('00', 64) || '01', 131),
	(74, '16 values that wait', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07' || repeat('00', 64) || '10', 131),
	(75, '2^24 values that wait', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07' || repeat('00', 64) || '000000 01', 128),
	(76, 'a kind, but no bit and none that waits', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 64 + 132)) t(n, what, digits, zeros)
ORDER BY n;

-- What is accepted, and becomes the form at rest.
SELECT what, pg_temp.input(digits, zeros) FROM (VALUES
	(1, 'nothing', '21 10 00', 0),
	(2, 'no values', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 64),
	(3, 'with a seed', '21 18 00 2a 00 00 00 00 00 00 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 64),
	(4, 'the kind with the highest number', '21 10 dc 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07 01', 63),
	(5, 'a bit at the very end', '21 10 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07' || repeat('00', 63) || '80', 0),
	(6, '64 hashes, the largest capacity', '21 10 00 ff ff ff ff ff ff ff 7f 7b 14 ae 47 e1 7a 84 3f 40', 64),
	(7, 'more blocks than needed', '21 10 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 640),
	(8, 'the lowest rate', '21 10 00 0a 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 03', 512),
	(9, 'the highest rate', '21 10 00 0a 00 00 00 00 00 00 00 ff ff ff ff ff ff ef 3f 03', 64),
	(10, 'building', '21 11 00 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07', 64 + 132),
	(11, 'building, a bit', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07 01', 63 + 132),
	(12, 'building, a value that waits', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07' || repeat('00', 64) || '01', 131),
	(13, 'building, 15 that wait', '21 11 02 0a 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f 07' || repeat('00', 64) || '0f', 131)) t(n, what, digits, zeros)
ORDER BY n;
SELECT ('\x2111020a000000000000007b14ae47e17a843f07' || repeat('00', 64) || '01000000' || image || repeat('00', 120))::bloom
	= (SELECT bloom_agg(1, 10, 0.01)) AS waiting
FROM (SELECT string_agg(lpad(to_hex(sketch_hash(1) >> 8 * i & 255), 2, '0'), '' ORDER BY i) AS image FROM generate_series(0, 7) i) t;

-- Truncated ones, however large, by either door; no prefix of a filter is one.
CREATE FUNCTION pg_temp.prefix(f bloom, bytes int) RETURNS text AS $$
BEGIN
	PERFORM substr(f::bytea, 1, bytes)::bloom;
	RETURN 'accepted';
EXCEPTION WHEN invalid_binary_representation THEN
	RETURN SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT rate, pg_temp.prefix(f, length(f::bytea) - less) AS error, count(*)
FROM (SELECT rate, bloom_agg(v, 100, rate) AS f FROM (VALUES (0.01), (0.0001)) t(rate), generate_series(1, 100) v GROUP BY rate) t,
	generate_series(1, length(f::bytea)) less
WHERE less % CASE rate WHEN 0.01 THEN 64 ELSE 512 END > 0 AND length(f::bytea) - less <> 3 GROUP BY 1, 2 ORDER BY 1, 2;
-- Cut between blocks it is another filter, which does not go with the first.
SELECT pg_temp.prefix(f, length(f::bytea) - 64) AS cut, (bloom_info(substr(f::bytea, 1, length(f::bytea) - 64)::bloom)).bits = (bloom_info(f)).bits - 512 AS bits
FROM (SELECT bloom_agg(v, 100, 0.01) AS f FROM generate_series(1, 100) v) t;
DO $$ BEGIN
	PERFORM f || substr(f::bytea, 1, length(f::bytea) - 64)::bloom FROM (SELECT bloom_agg(v, 100, 0.01) AS f FROM generate_series(1, 100) v) t;
EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%: %', SQLSTATE, SQLERRM; END $$;
CREATE TEMP TABLE stored AS SELECT bloom_agg(v, 500000, 0.01) AS f FROM generate_series(1, 1000) v;
SELECT pg_temp.prefix(f, length(f::bytea) - 1) AS one_less, pg_temp.prefix(f, 20) AS no_blocks, pg_temp.prefix(f, 19) AS less_than_parameters FROM stored;

-- The text form is \x and pairs of digits, nothing else.
CREATE FUNCTION pg_temp.text_input(input text) RETURNS text AS $$
BEGIN
	RETURN 'accepted as ' || input::bloom::text;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT quote_literal(input) AS input, pg_temp.text_input(input) FROM (VALUES (1, ''), (2, '\x'), (3, '\x2'), (4, '\x21100'), (5, '211000'),
	(6, '\X211000'), (7, '\x2110zz'), (8, ' \x211000'), (9, '\x211000 '), (10, 'bloom')) t(n, input)
ORDER BY n;
-- The binary door, as clients and COPY use it, is in the TAP tests.

-- Every change of one byte is refused, or gives a filter that all functions take.
CREATE FUNCTION pg_temp.sound(f bloom) RETURNS boolean AS $$
	SELECT bloom_count(f) >= 0 AND (bloom_info(f)).bytes = length(f::bytea) + 4 AND coalesce((bloom_info(f)).bits_set, 0) >= 0
		AND f || f = f AND (SELECT bloom_union(u) = f FROM (VALUES (f), (f)) t(u)) AND f::bytea::bloom = f AND f::text::bloom = f
		AND bloom_agg_final(f) = f AND bloom_add(f, NULL) = f AND bloom_contains(f, NULL) IS NULL
$$ LANGUAGE sql;
CREATE FUNCTION pg_temp.adds(f bloom) RETURNS boolean AS $$
BEGIN
	RETURN bloom_contains(bloom_add(f, 'added'), 'added');
EXCEPTION WHEN datatype_mismatch OR invalid_parameter_value THEN
	RETURN true;
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION pg_temp.try(image bytea, OUT refused int, OUT sound int, OUT unsound int) AS $$
DECLARE
	f bloom;
BEGIN
	refused := 0; sound := 0; unsound := 0;
	FOR place IN 0..29 LOOP
		FOR value IN 0..255 LOOP
			CONTINUE WHEN place >= length(image);
			BEGIN
				f := set_byte(image, place, value)::bloom;
				IF pg_temp.sound(f) AND pg_temp.adds(f) THEN sound := sound + 1; ELSE unsound := unsound + 1; END IF;
			EXCEPTION WHEN invalid_binary_representation THEN
				refused := refused + 1;
			END;
		END LOOP;
	END LOOP;
END
$$ LANGUAGE plpgsql;
SET client_min_messages = error;
SELECT what, refused > 300 AS refused, sound > 0 AS accepted, unsound, refused + sound + unsound AS tried
FROM (VALUES (1, 'nothing', '\x211000'::bytea), (2, 'no values', bloom_empty(10, 0.01)::bytea), (3, 'no values, seed', bloom_empty(10, 0.01, 7)::bytea),
	(4, 'texts', (SELECT bloom_agg('a'::text, 10, 0.01))::bytea), (5, 'large blocks', (SELECT bloom_agg('a'::text, 10, 0.0001))::bytea),
	(6, 'building', decode('2111020a000000000000007b14ae47e17a843f07' || repeat('00', 64) || '0f000000' || repeat('5a', 128), 'hex'))) t(n, what, image),
	LATERAL pg_temp.try(image)
ORDER BY n;
RESET client_min_messages;

-- Form 2, layers; form 4, the same to be folded; form 3, hashes. Rate 0.01; a layer for
-- 10 values, 3 added, 1 block, 7 hashes, blocks of 2^9 bits. A table of 8 places.
SELECT what, pg_temp.input(digits, zeros) FROM (VALUES
	(1, 'a layer', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0100000000000000 07 09 01', 63),
	(2, 'no rate', '21 12 02 7b 14 ae', 0),
	(3, 'no layers', '21 12 02 7b 14 ae 47 e1 7a 84 3f 00', 0),
	(4, '17 layers', '21 12 02 7b 14 ae 47 e1 7a 84 3f 11', 17 * 26 + 17 * 64),
	(5, 'half a layer', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000', 0),
	(6, 'a rate of 1', '21 12 02 00 00 00 00 00 00 f0 3f 01 0a00000000000000 0300000000000000 0100000000000000 07 09 01', 63),
	(7, 'a capacity of 0', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0000000000000000 0300000000000000 0100000000000000 07 09 01', 63),
	(8, 'nothing added', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0000000000000000 0100000000000000 07 09 01', 63),
	(9, '2^63 added', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0000000000000080 0100000000000000 07 09 01', 63),
	(10, 'no blocks', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0000000000000000 07 09', 0),
	(11, '2^58 blocks', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0000000000000004 07 09 01', 63),
	(12, 'no hashes', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0100000000000000 00 09 01', 63),
	(13, 'blocks of 2^10 bits', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0100000000000000 07 0a 01', 127),
	(14, 'a byte too many', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0100000000000000 07 09 01', 64),
	(15, 'no bit', '21 12 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0100000000000000 07 09', 64),
	(16, 'no kind of value', '21 12 00 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0100000000000000 07 09 01', 63),
	(20, 'two blocks folded into one', '21 14 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0200000000000000 07 09 01', 127),
	(21, 'all bits set', '21 14 02 7b 14 ae 47 e1 7a 84 3f 01 0a00000000000000 0300000000000000 0200000000000000 07 09' || repeat('ff', 128), 0),
	(30, 'a hash', '21 13 02 7b 14 ae 47 e1 7a 84 3f 01000000 00 01', 63),
	(31, 'the hash 0', '21 13 02 7b 14 ae 47 e1 7a 84 3f 00000000 01', 64),
	(32, 'no hash', '21 13 00 7b 14 ae 47 e1 7a 84 3f 00000000 00', 64),
	(33, 'no hash, but a kind', '21 13 02 7b 14 ae 47 e1 7a 84 3f 00000000 00', 64),
	(34, 'another count', '21 13 02 7b 14 ae 47 e1 7a 84 3f 02000000 00 01', 63),
	(35, 'a count beyond 3 of 4 places', '21 13 02 7b 14 ae 47 e1 7a 84 3f 07000000 00' || repeat('01', 56), 8),
	(36, '2 for the hash 0', '21 13 02 7b 14 ae 47 e1 7a 84 3f 00000000 02', 64),
	(37, 'a hash that is not found', '21 13 02 7b 14 ae 47 e1 7a 84 3f 01000000 00' || repeat('00', 8) || '01', 55),
	(38, '7 places', '21 13 02 7b 14 ae 47 e1 7a 84 3f 01000000 00 01', 55),
	(39, '12 places', '21 13 02 7b 14 ae 47 e1 7a 84 3f 01000000 00 01', 95),
	(40, 'a rate that 64 bits do not give', '21 13 02 01 00 00 00 00 00 00 00 01000000 00 01', 63)) t(n, what, digits, zeros)
ORDER BY n;
