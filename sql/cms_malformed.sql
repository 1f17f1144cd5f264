-- Bytes that come in from outside: every reason for which they are no cms, and
-- every form that is one. The layout is in docs/FORMAT.md; the short of it:
--
--   51 10 02          cms of version 1, XXH3 and form 0 (sparse), integers
--   00 .. e0 3f       epsilon 0.5: 6 columns
--   00 .. d0 3f       delta 0.25: 2 rows
--   03                N = 3
--   01 ..             counters that are not 0, at most an eighth: 1
--
-- A sketch of 12 counters is sparse only when it is empty; the sparse ones here have
-- epsilon 0.1 and delta 0.1, 28 x 3 counters.
SELECT cms_agg(v, 0.1, 0.1) AS sparse, cms_agg(v, 0.5, 0.25) AS packed FROM (VALUES (1), (1), (2)) t(v);

-- What text input and the cast from bytea say, if it is the same. As many bytes
-- of zero follow the digits. S and P stand for the parameters of a sparse and a packed one.
CREATE FUNCTION pg_temp.input(digits text, zeros int) RETURNS text AS $$
DECLARE
	image bytea := decode(replace(replace(replace(digits, 'S', '9a9999999999b93f9a9999999999b93f'), 'P', '000000000000e03f000000000000d03f'), ' ', '') || repeat('00', zeros), 'hex');
	by_text text;
	by_bytea text;
BEGIN
	BEGIN
		by_text := 'accepted as ' || image::text::cms::text;
	EXCEPTION WHEN OTHERS THEN
		by_text := SQLSTATE || ' ' || SQLERRM;
	END;
	BEGIN
		by_bytea := 'accepted as ' || image::cms::text;
	EXCEPTION WHEN OTHERS THEN
		by_bytea := SQLSTATE || ' ' || SQLERRM;
	END;
	RETURN CASE WHEN by_text = by_bytea THEN replace(by_text, 'malformed cms: ', '') ELSE by_text || ', but ' || by_bytea END;
END
$$ LANGUAGE plpgsql;
DO $$ BEGIN PERFORM '\x1110000000'::cms; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%: %', SQLSTATE, SQLERRM; END $$;

SELECT what, pg_temp.input(digits, zeros) FROM (VALUES
	-- Too short, or too long.
	(1, 'nothing', '', 0),
	(2, 'half a header', '51 10', 0),
	(3, 'half a seed', '51 18 02 2a', 3),
	(4, 'a byte of epsilon', '51 10 00 9a', 0),
	(5, 'no delta', '51 10 00 9a 99 99 99 99 99 b9 3f', 0),
	(6, 'no total', '51 10 00 S', 0),
	(7, 'half a total', '51 10 02 S 80', 0),
	(8, 'no count', '51 10 02 S 01', 0),
	(9, 'half a count', '51 10 02 S 01 83', 0),
	(10, 'no counters', '51 10 02 S 01 03', 0),
	(11, 'a byte behind nothing', '51 10 00', 1),
	(12, 'a byte behind no values', '51 10 00 S 00 00', 1),
	(13, 'packed, no directory and no block', '51 11 02 P 03', 0),
	(14, 'packed, a block less its head', '51 11 02 P 03 00 00', 0),
	(15, 'list, half a geometry', '51 12 02 S', 7),
	(16, 'list, no total', '51 12 02 S 1c 00 00 00 03', 3),
	(17, 'list, no number of entries', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00', 0),
	(18, 'list, no slot', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00', 0),
	(19, 'list, half a slot', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00', 31),
	(20, 'dense32, a counter too few', '51 13 02 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00', 40),
	(21, 'dense32, a byte too many', '51 13 02 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00', 45),
	(22, 'dense64, a counter too few', '51 14 02 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00', 84),
	(23, 'dense64 with as many bytes as dense32', '51 14 02 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00', 44),
	-- Not a sketch of this version of this type.
	(30, 'another sketch', '11 10 00 0e 00', 0),
	(31, 'no sketch', '01 10 00', 0),
	(32, 'version 0', '50 10 00', 0),
	(33, 'version 2', '52 10 00', 0),
	(34, 'hash family 0', '51 00 00', 0),
	(35, 'hash family 2', '51 20 00', 0),
	(36, 'form 5', '51 15 00 S', 100),
	(37, 'form 7', '51 17 00', 0),
	(38, 'a kind of value too high', '51 10 1d S 00 00', 0),
	(39, 'arrays of nothing', '51 10 40 S 00 00', 0),
	-- Parameters.
	(40, 'a seed of zero', '51 18 00 00 00 00 00 00 00 00 00 S 00 00', 0),
	(41, 'a seed and nothing else', '51 18 00 2a', 7),
	(42, 'form 1 without parameters', '51 11 00', 0),
	(43, 'form 2 without parameters', '51 12 00', 0),
	(44, 'epsilon 0', '51 10 00 00 00 00 00 00 00 00 00 9a 99 99 99 99 99 b9 3f 00 00', 0),
	(45, 'epsilon -0.1', '51 10 00 9a 99 99 99 99 99 b9 bf 9a 99 99 99 99 99 b9 3f 00 00', 0),
	(46, 'epsilon 1', '51 10 00 00 00 00 00 00 00 f0 3f 9a 99 99 99 99 99 b9 3f 00 00', 0),
	(47, 'epsilon NaN', '51 10 00 00 00 00 00 00 00 f8 7f 9a 99 99 99 99 99 b9 3f 00 00', 0),
	(48, 'delta 0', '51 10 00 9a 99 99 99 99 99 b9 3f 00 00 00 00 00 00 00 00 00 00', 0),
	(49, 'delta 1', '51 10 00 9a 99 99 99 99 99 b9 3f 00 00 00 00 00 00 f0 3f 00 00', 0),
	(50, 'delta NaN', '51 10 00 9a 99 99 99 99 99 b9 3f 00 00 00 00 00 00 f8 7f 00 00', 0),
	(51, 'delta infinity', '51 10 00 9a 99 99 99 99 99 b9 3f 00 00 00 00 00 00 f0 7f 00 00', 0),
	(52, 'epsilon 5e-324', '51 10 00 01 00 00 00 00 00 00 00 9a 99 99 99 99 99 b9 3f 00 00', 0),
	(53, 'epsilon 5e-324, list', '51 12 00 01 00 00 00 00 00 00 00 9a 99 99 99 99 99 b9 3f 1c 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00', 16),
	(54, 'a width that does not follow', '51 13 02 P 05 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 03 00 00 00', 16),
	(55, 'a depth that does not follow', '51 13 02 P 06 00 00 00 01 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00', 20),
	(56, 'a width and a depth whose product has 33 bits', '51 13 02 P 06 00 00 80 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00', 44),
	(57, 'no columns', '51 13 02 P 00 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00', 0),
	-- Totals and counters that do not fit.
	(58, 'sparse, counters that sum up to 3, total 2', '51 10 02 S 02 06 40 88 2b 8e 30 9d 00', 0),
	(59, 'the same, total 4', '51 10 02 S 04 06 40 88 2b 8e 30 9d 00', 0),
	(60, 'packed, counters that sum up to 3, total 4', '51 11 02 P 04 02 00 00 02 31 00', 0),
	(61, 'total 2^63', '51 10 02 S 80 80 80 80 80 80 80 80 80 01 03', 9),
	(62, 'total 2^64', '51 10 02 S 80 80 80 80 80 80 80 80 80 02 03', 9),
	(63, 'a total of 11 bytes', '51 10 02 S 80 80 80 80 80 80 80 80 80 80 01 03', 9),
	(64, 'a total that is not in its shortest form', '51 10 02 S 80 00 00', 0),
	(65, 'a count that is not in its shortest form', '51 10 00 S 00 80 00', 0),
	(66, 'more counters than an eighth', '51 10 02 S 01 0b', 30),
	(67, '2^35 counters', '51 10 02 S 01 80 80 80 80 80 01', 30),
	(68, 'a total, but no counters', '51 10 02 S 05 00', 0),
	(69, 'dense32, rows that sum up to 2, total 3', '51 13 02 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02', 23),
	(70, 'dense32, the second row is empty', '51 13 02 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00', 44),
	(71, 'dense32, total 2^32', '51 13 02 P 06 00 00 00 02 00 00 00 00 00 00 00 01 00 00 00 03 00 00 00', 44),
	(72, 'dense64, total 2^63', '51 14 02 P 06 00 00 00 02 00 00 00 00 00 00 00 00 00 00 80 03 00 00 00', 92),
	(73, 'dense64, a row that sums up to N modulo 2^64', '51 14 02 P 06 00 00 00 02 00 00 00 02 00 00 00 00 00 00 00' || '01 00 00 00 00 00 00 80 01 00 00 00 00 00 00 80' || repeat('00', 32) || '02 00 00 00 00 00 00 00', 40),
	(74, 'list, a weight beyond N', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 2a 00 00 00 00 00 00 00 02', 23),
	(75, 'list, weights below N', '51 12 02 S 1c 00 00 00 03 00 00 00 02 00 00 00 00 00 00 00 01 00 00 00 2a 00 00 00 00 00 00 00 01', 23),
	(76, 'list, more entries than slots in use', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 2a 00 00 00 00 00 00 00 01', 55),
	(77, 'list, fewer entries than slots in use', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 2a 00 00 00 00 00 00 00 01', 55),
	(78, 'list, full', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 2a 00 00 00 00 00 00 00 01', 7),
	(79, 'list, 2^32 - 1 entries', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 ff ff ff ff 2a 00 00 00 00 00 00 00 01', 23),
	(80, 'list, weights that sum up to N modulo 2^64', '51 12 02 S 1c 00 00 00 03 00 00 00 02 00 00 00 00 00 00 00 02 00 00 00'
		|| '2a 00 00 00 00 00 00 00 01 00 00 00 00 00 00 80 2b 00 00 00 00 00 00 00 01 00 00 00 00 00 00 80', 16),
	-- Forms that other contents have.
	(90, 'a kind of value, but no value', '51 10 02 S 00 00', 0),
	(91, 'a value, but no kind', '51 13 00 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 03', 23),
	(92, 'a kind of value, and nothing else', '51 10 02', 0),
	(93, 'packed, but empty', '51 11 00 P 00 00 00 00', 0),
	(95, 'sparse, a bit behind the last field', '51 10 02 S 03 06 40 88 2b 8e 30 9d 80', 0),
	(96, 'sparse, another k', '51 10 02 S 03 06 41 88 2b 8e 30 9d 00', 0),
	(97, 'packed, a bit of a head that is not used', '51 11 02 P 03 02 00 80 02 31 00', 0),
	(98, 'packed, a base of 0 in a byte', '51 11 02 P 03 02 00 08 00 02 31 00', 0),
	(99, 'packed, three bits for a counter, where two do', '51 11 02 P 03 03 00 00 02 10 0c 00 00', 0),
	(100, 'packed, three exceptions, where none cost less', '51 11 02 P 03 c0 40 00 00 09 19 06', 0),
	(101, 'packed, exceptions in descending order', '51 11 02 P 03 c0 40 00 86 09 01 04', 0),
	(102, 'packed, an exception behind the last counter', '51 11 02 P 03 c0 40 00 0c 09 19 06', 0),
	(103, 'packed, 57 bits for a counter', '51 11 02 P 03 39 00 00', 86),
	(104, 'packed, where few counters are not 0', '51 11 02 P 03 c0 40 00 00 01', 2),
	(94, 'list, a kind and no value', '51 12 02 S 1c 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00', 32)) t(n, what, digits, zeros)
ORDER BY n;

-- What is accepted, and becomes the form at rest.
SELECT what, pg_temp.input(digits, zeros) FROM (VALUES
	(1, 'nothing', '51 10 00', 0),
	(2, 'no values', '51 10 00 S 00 00', 0),
	(3, 'with a seed', '51 18 00 2a 00 00 00 00 00 00 00 S 00 00', 0),
	(4, 'list, no values', '51 12 00 S 1c 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00', 16),
	(5, 'list, a value', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 2a 00 00 00 00 00 00 00 01', 23),
	(6, 'list, in another slot', '51 12 02 S 1c 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00' || repeat('00', 16) || '2a 00 00 00 00 00 00 00 01', 7),
	(7, 'list, in two slots', '51 12 02 S 1c 00 00 00 03 00 00 00 05 00 00 00 00 00 00 00 02 00 00 00 2a 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 2a 00 00 00 00 00 00 00 03', 23),
	(8, 'list, the same in one', '51 12 02 S 1c 00 00 00 03 00 00 00 05 00 00 00 00 00 00 00 01 00 00 00 2a 00 00 00 00 00 00 00 05', 23),
	(9, 'dense32', '51 13 02 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 03', 23),
	(10, 'dense64, the same', '51 14 02 P 06 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 03' || repeat('00', 47) || '03', 47),
	(11, 'dense64, no values', '51 14 00 P 06 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00', 96),
	(12, 'dense64, total 2^63 - 1', '51 14 02 P 06 00 00 00 02 00 00 00 ff ff ff ff ff ff ff 7f ff ff ff ff ff ff ff 7f' || repeat('00', 40) || 'ff ff ff ff ff ff ff 7f', 40),
	(13, 'dense32, total 2^32 - 1', '51 13 02 P 06 00 00 00 02 00 00 00 ff ff ff ff 00 00 00 00 ff ff ff ff' || repeat('00', 20) || 'ff ff ff ff', 20)) t(n, what, digits, zeros)
ORDER BY n;
-- The hash of the value in a list is the one of that value.
SELECT ('\x5112029a9999999999b93f9a9999999999b93f1c00000003000000070000000000000001000000' || image || '07' || repeat('00', 23))::cms
	= (SELECT cms_agg(1, 7, 0.1, 0.1)) AS as_built
FROM (SELECT string_agg(lpad(to_hex(sketch_hash(1) >> 8 * i & 255), 2, '0'), '' ORDER BY i) AS image FROM generate_series(0, 7) i) t;

-- No prefix of a sketch is one but the first three bytes, and nothing behind one is ignored.
CREATE FUNCTION pg_temp.outcome(image bytea) RETURNS text AS $$
BEGIN
	PERFORM image::cms;
	RETURN 'accepted';
EXCEPTION WHEN invalid_binary_representation THEN
	RETURN 'refused';
END
$$ LANGUAGE plpgsql;
CREATE TEMP TABLE images AS
	SELECT 1 AS n, 'sparse' AS what, cms_agg(v, v)::bytea AS image FROM generate_series(1, 40) v
	UNION ALL SELECT 2, 'packed', cms_agg(v, v, 0.05, 0.1)::bytea FROM generate_series(1, 1000) v
	UNION ALL SELECT 3, 'packed, seed', cms_agg(v::text, v * v, 0.01, 0.01, 9)::bytea FROM generate_series(1, 1000) v
	UNION ALL SELECT 4, 'empty', cms_empty(0.1, 0.1)::bytea;
SELECT what, count(*) FILTER (WHERE pg_temp.outcome(substr(image, 1, bytes)) = 'accepted' AND substr(image, 1, 3) <> '\x511000') AS prefixes,
	pg_temp.outcome(image || '\x00') AS a_byte_more, pg_temp.outcome(image || image) AS twice
FROM images, generate_series(0, length(image) - 1) bytes GROUP BY n, what, image ORDER BY n;
SELECT pg_temp.outcome(substr(image, 1, 3)) AS bare FROM images WHERE n = 4;

-- The text form is \x and pairs of digits, nothing else.
CREATE FUNCTION pg_temp.text_input(input text) RETURNS text AS $$
BEGIN
	RETURN 'accepted as ' || input::cms::text;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT quote_literal(input) AS input, pg_temp.text_input(input) FROM (VALUES (1, ''), (2, '\x'), (3, '\x5'), (4, '\x51100'), (5, '511000'),
	(6, '\X511000'), (7, '\x5110zz'), (8, ' \x511000'), (9, '\x511000 '), (10, 'cms')) t(n, input)
ORDER BY n;
-- The binary door, as clients and COPY use it, is in the TAP tests.

-- Every change of one byte is refused, or gives a sketch that all functions take.
CREATE FUNCTION pg_temp.sound(c cms) RETURNS boolean AS $$
	SELECT cms_total(c) >= 0 AND i.bytes = length(c::bytea) + 4 AND i.total = cms_total(c) AND (i.total = 0) = (i.value_type IS NULL)
		AND c || cms_empty() = c AND c::bytea::cms = c AND c::text::cms = c AND cms_agg_final(c) = c
		AND cms_add(c, NULL) = c AND cms_count(c, NULL) IS NULL AND (SELECT cms_union(u) = c FROM (VALUES (c), ('\x511000'::cms)) t(u))
	FROM cms_info(c) i
$$ LANGUAGE sql;
-- With a value of the kind that it holds, if that is text or integer; a total may be near the largest.
CREATE FUNCTION pg_temp.adds(c cms) RETURNS boolean AS $$
BEGIN
	RETURN CASE (cms_info(c)).value_type
		WHEN 'integer' THEN cms_count(cms_add(c, 5), 5) > 0
		WHEN 'text' THEN cms_count(cms_add(c, 'added'), 'added') > 0
		ELSE true END;
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN cms_total(c) = 9223372036854775807;
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION pg_temp.doubles(c cms) RETURNS boolean AS $$
BEGIN
	RETURN cms_total(c || c) = 2 * cms_total(c);
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN cms_total(c) > 4611686018427387903;
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION pg_temp.try(image bytea, OUT refused int, OUT sound int, OUT unsound int) AS $$
DECLARE
	c cms;
BEGIN
	refused := 0; sound := 0; unsound := 0;
	FOR place IN 0..least(59, length(image) - 1) LOOP
		FOR value IN 0..255 LOOP
			BEGIN
				c := set_byte(image, place, value)::cms;
				IF pg_temp.sound(c) AND pg_temp.adds(c) AND pg_temp.doubles(c) THEN sound := sound + 1; ELSE unsound := unsound + 1; END IF;
			EXCEPTION WHEN invalid_binary_representation THEN
				refused := refused + 1;
			END;
		END LOOP;
	END LOOP;
END
$$ LANGUAGE plpgsql;
SET client_min_messages = error;
SELECT what, refused > 300 AS refused, sound > 0 AS accepted, unsound, refused + sound + unsound AS tried
FROM (VALUES (1, 'nothing', '\x511000'::bytea), (2, 'no values', cms_empty(0.1, 0.1)::bytea), (3, 'no values, seed', cms_empty(0.1, 0.1, 7)::bytea),
	(4, 'sparse texts', (SELECT cms_agg('a'::text, 0.1, 0.1))::bytea), (5, 'packed', (SELECT cms_agg(v, 0.3, 0.2) FROM generate_series(1, 30) v)::bytea),
	(6, 'list', decode('5112029a9999999999b93f9a9999999999b93f1c000000030000000500000000000000020000002a0000000000000002000000000000002b000000000000000300000000000000' || repeat('00', 16), 'hex')),
	(7, 'dense32', decode('511302000000000000e03f000000000000d03f06000000020000000300000000000000' || '0200000001000000' || repeat('00', 16) || '00000000000000000300000000000000' || repeat('00', 8), 'hex'))) t(n, what, image),
	LATERAL pg_temp.try(image)
ORDER BY n;
RESET client_min_messages;
