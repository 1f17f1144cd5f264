-- Bytes that come in from outside: every reason for which they are no hll, and
-- every form that is one. The layout is in docs/FORMAT.md; the short of it:
--
--   11 10 02          hll of version 1, XXH3 and form 0 (sparse), integers
--   0e                precision 14
--   01                one entry
--   64 f1 be 02       the entry: from the lowest bit of the first byte upwards,
--                     25 bits, zeros up to a one, and padding
SELECT hll_agg(1);

-- What text input and the cast from bytea say, if it is the same.
CREATE FUNCTION pg_temp.input(digits text) RETURNS text AS $$
DECLARE
	by_text text;
	by_bytea text;
BEGIN
	BEGIN
		by_text := 'accepted as ' || ('\x' || replace(digits, ' ', ''))::hll::text;
	EXCEPTION WHEN OTHERS THEN
		by_text := SQLSTATE || ' ' || SQLERRM;
	END;
	BEGIN
		by_bytea := 'accepted as ' || decode(replace(digits, ' ', ''), 'hex')::hll::text;
	EXCEPTION WHEN OTHERS THEN
		by_bytea := SQLSTATE || ' ' || SQLERRM;
	END;
	RETURN CASE WHEN by_text = by_bytea THEN replace(by_text, 'malformed hll: ', '') ELSE by_text || ', but ' || by_bytea END;
END
$$ LANGUAGE plpgsql;
DO $$ BEGIN PERFORM '\x1010000000'::hll; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%: %', SQLSTATE, SQLERRM; END $$;

SELECT what, pg_temp.input(digits) FROM (VALUES
	-- Too short.
	(1, 'nothing', ''),
	(2, 'half a header', '11 10'),
	(3, 'no precision', '11 10 02'),
	(4, 'half a seed', '11 18 02 2a 00 00 00'),
	(5, 'no precision behind the seed', '11 18 02 2a 00 00 00 00 00 00 00'),
	(6, 'no count', '11 10 02 0e'),
	(7, 'half a count', '11 10 02 0e 81'),
	(8, 'a count of four bytes', '11 10 02 0e 81 80 80 00'),
	(9, 'no entry', '11 10 02 0e 01'),
	(10, 'half an entry', '11 10 02 0e 01 64 f1 be'),
	(11, 'zeros without end', '11 10 02 0e 01 00 00 00 00 00 00 00 00 00 00'),
	(12, 'an entry with half its rank', '11 10 02 0e 01 00 00 00 04'),
	-- Too long, or neither.
	(20, 'a byte behind nothing', '11 10 00 00 00 00'),
	(21, 'a byte behind no entries', '11 10 00 0e 00 00'),
	(22, 'a byte behind the entry', '11 10 02 0e 01 64 f1 be 02 00'),
	(23, '11 bytes of 16 registers', '11 11 02 04 ff c3 50 10 83 32 0c 84 40 08 04 51'),
	(24, '13 bytes of 16 registers', '11 11 02 04 ff c3 50 10 83 32 0c 84 40 08 04 51 08 00'),
	(25, '16 registers for 32', '11 11 02 05 ff c3 50 10 83 32 0c 84 40 08 04 51 08'),
	(26, '15 registers in bytes', '11 13 02 04 03 03 05 04 03 0a 03 03 04 02 04 02 04 04 05'),
	(27, 'a table of 7 bytes', '11 12 02 0e 01 00 00 00 00 59 bc'),
	(28, 'a table without slots', '11 12 00 0e 00 00 00 00'),
	-- Not a sketch of this version of this type.
	(30, 'another sketch', '21 10 00 00 00'),
	(31, 'no sketch', '01 10 00 00 00'),
	(32, 'version 0', '10 10 00 00 00'),
	(33, 'version 2', '12 10 00 00 00'),
	(34, 'hash family 0', '11 00 00 00 00'),
	(35, 'hash family 2', '11 20 00 00 00'),
	(36, 'form 4', '11 14 00 0e 00'),
	(37, 'form 7', '11 17 00 0e 00'),
	(38, 'a kind of value too high', '11 10 1d 0e 01 64 f1 be 02'),
	(39, 'arrays of nothing', '11 10 40 0e 01 64 f1 be 02'),
	(40, 'multiranges of too high a kind', '11 10 ff 0e 01 64 f1 be 02'),
	-- Parameters.
	(50, 'a seed of zero', '11 18 02 00 00 00 00 00 00 00 00 0e 01 64 f1 be 02'),
	(51, 'precision 3', '11 10 00 03 00'),
	(52, 'precision 19', '11 10 00 13 00'),
	(53, 'precision 255', '11 10 00 ff 00'),
	(54, 'a seed without a precision', '11 18 00 2a 00 00 00 00 00 00 00 00 00'),
	(55, 'registers without a precision', '11 11 02 00 00'),
	(56, 'a table without a precision', '11 12 00 00 00 00 00 00 00 00 00 00'),
	-- Counts.
	(60, 'a count in two bytes that fits one', '11 10 02 0e 81 00 64 f1 be 02'),
	(61, 'no entries, in two bytes', '11 10 00 0e 80 00'),
	(62, 'an entry without a precision', '11 10 02 00 01 64 f1 be 02'),
	(63, 'three entries where two fit', '11 10 02 04 03 66 6c 08 2a 59 f3 6e 5c dd 01'),
	(64, '2,049 entries of 2,048', '11 10 02 0e 81 10'),
	(65, 'a table of more than 2,048', '11 12 02 0e 01 08 00 00 00 59 bc 2f'),
	(66, 'a table with fewer than it says', '11 12 02 0e 02 00 00 00 00 59 bc 2f'),
	(67, 'a table with more than it says', '11 12 02 0e 01 00 00 00 00 59 bc 2f 40 c6 86 20'),
	(68, 'a table with one that says none', '11 12 00 0e 00 00 00 00 00 59 bc 2f'),
	-- Entries and registers.
	(70, 'an index of 2^26', '11 10 02 0e 01 00 00 00 08'),
	(71, 'rank 0', '11 10 02 0e 01 00 00 00 02'),
	(72, 'rank 40 behind 26 bits', '11 10 02 0e 01 00 00 00 a2'),
	(73, 'register of rank 62 of 61', '11 11 02 04 ff 3e 00 00 00 00 00 00 00 00 00 00 00'),
	(74, 'the last register of rank 63', '11 11 02 04 ff 00 00 00 00 00 00 00 00 00 00 00 fc'),
	(75, 'a byte of rank 62', '11 13 02 04 3e 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00'),
	(76, 'a byte of 255', '11 13 02 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ff'),
	(77, 'a table with rank 0', '11 12 02 0e 01 00 00 00 01 00 00 00 28 00 00 00'),
	(78, 'a table with a rank too many', '11 12 02 0e 01 00 00 00 01 59 bc 2f'),
	(79, 'a table with an index twice', '11 12 02 0e 02 00 00 00 01 00 00 00 02 00 00 00'),
	(80, 'a table with an entry twice', '11 12 02 0e 02 00 00 00 00 59 bc 2f 00 59 bc 2f'),
	-- Forms that other contents have.
	(90, 'padding', '11 10 02 0e 01 64 f1 be 82'),
	(91, 'an entry, but no kind of value', '11 10 00 0e 01 64 f1 be 02'),
	(92, 'registers, but no kind of value', '11 11 00 04 04 02 02 02 50 01 fc 00 c6 00 da 00'),
	(93, 'a kind of value, but no entry', '11 10 02 0e 00'),
	(94, 'a kind of value, and nothing else', '11 10 02 00 00'),
	(95, 'registers of zero', '11 11 02 04 ff 00 00 00 00 00 00 00 00 00 00 00 00'),
	(96, 'registers of zero, no kind', '11 13 00 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00')) t(n, what, digits)
ORDER BY n;

-- What is accepted, and becomes the canonical form. Working forms: a table of
-- entries in any order, with free slots; a byte for each register.
SELECT what, pg_temp.input(digits) FROM (VALUES
	(1, 'nothing', '11 10 00 00 00'),
	(2, 'no entries', '11 10 00 12 00'),
	(3, 'no entries, with a seed', '11 18 00 2a 00 00 00 00 00 00 00 0e 00'),
	(4, 'one entry', '11 10 02 0e 01 64 f1 be 02'),
	(5, 'the kind with the highest number', '11 10 dc 0e 01 64 f1 be 02'),
	(6, 'rank 1 behind 26 bits', '11 10 02 0e 01 00 00 00 06'),
	(7, 'rank 39', '11 10 02 0e 01 00 00 00 9e'),
	(8, 'a register of rank 61', '11 11 02 04 00 03 01 01 ff f7 00 00 00 00'),
	(9, 'an empty table', '11 12 00 0e 00 00 00 00 00 00 00 00'),
	(10, 'a full table', '11 12 02 0e 03 00 00 00 00 59 bc 2f 40 c6 86 20 00 20 92 4d'),
	(11, 'the same table, otherwise', '11 12 02 0e 03 00 00 00 00 00 00 00 00 20 92 4d 00 59 bc 2f 00 00 00 00 40 c6 86 20'),
	(12, 'a table with a seed', '11 1a 02 05 00 00 00 00 00 00 00 0e 01 00 00 00 00 59 bc 2f'),
	(13, 'a byte for each register', '11 13 02 04 03 03 05 04 03 0a 03 03 04 02 04 02 04 04 05 02')) t(n, what, digits)
ORDER BY n;
SELECT '\x1112020e030000000059bc2f40c686200020924d'::hll = (SELECT hll_agg(v) FROM generate_series(1, 3) v) AS table,
	'\x1113020403030504030a03030402040204040502'::hll = (SELECT hll_agg(v, 4) FROM generate_series(1, 100) v) AS bytes;

-- The text form is \x and pairs of digits, nothing else.
CREATE FUNCTION pg_temp.text_input(input text, OUT message text, OUT detail text) AS $$
BEGIN
	message := 'accepted as ' || input::hll::text;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	message := SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT * FROM pg_temp.text_input('hll');
SELECT quote_literal(input) AS input, message FROM (VALUES (1, ''), (2, '\x'), (3, '\x1'), (4, '\x111000000'), (5, '1110000000'),
	(6, 'x1110000000'), (7, '\X1110000000'), (8, '\x11100000zz'), (9, '\x 1110000000'), (10, '\x11 10 00 00 00'),
	(11, ' \x1110000000'), (12, '\x1110000000 '), (13, '\\x1110000000'), (14, '\x11100000g0'), (15, '\x11100000:0'),
	(16, '\x11100000@0'), (17, '\x11100000`0'), (18, '\x111000000 '), (19, '\x1110000C00'), (20, '\x1110000c00')) t(n, input),
	LATERAL pg_temp.text_input(input)
ORDER BY n;

-- Every beginning of these sketches is refused. Every change of one byte is refused, or
-- gives a sketch that all functions take, and that comes in unchanged again.
CREATE FUNCTION pg_temp.sound(h hll) RETURNS boolean AS $$
	SELECT hll_count(h) >= 0 AND (hll_info(h)).bytes = length(h::bytea) + 4 AND (hll_info(h)).registers_used >= 0
		AND h || h = h AND hll_union(h, hll_empty()) = h AND hll_reduce(hll_reduce(h, 4), 4) = hll_reduce(h, 4)
		AND h::bytea::hll = h AND h::text::hll = h AND hll_agg_final(h) = h AND hll_count(hll_add(h, NULL)) = hll_count(h)
		AND (SELECT hll_union(u) = h FROM (VALUES (h), (h)) t(u))
$$ LANGUAGE sql;
CREATE FUNCTION pg_temp.try(image bytea, OUT refused int, OUT sound int, OUT unsound int) AS $$
BEGIN
	refused := 0; sound := 0; unsound := 0;
	FOR place IN 0..length(image) - 1 LOOP
		FOR value IN 0..255 LOOP
			BEGIN
				IF pg_temp.sound(set_byte(image, place, value)::hll) THEN sound := sound + 1; ELSE unsound := unsound + 1; END IF;
			EXCEPTION WHEN invalid_binary_representation THEN
				refused := refused + 1;
			END;
		END LOOP;
	END LOOP;
	FOR place IN 0..length(image) - 1 LOOP
		BEGIN
			IF pg_temp.sound(substr(image, 1, place)::hll) THEN unsound := unsound + 1; END IF;
		EXCEPTION WHEN invalid_binary_representation THEN
			refused := refused + 1;
		END;
	END LOOP;
END
$$ LANGUAGE plpgsql;
SELECT what, refused > length(image) AS refused, sound > length(image) AS accepted, unsound,
	refused + sound + unsound = length(image) * 257 AS all_tried
FROM (VALUES (1, 'nothing', '\x1110000000'::bytea), (2, 'no entries, with a seed', '\x1118002a000000000000000e00'),
	(3, 'one entry', '\x1110020e0164f1be02'), (4, 'three entries', '\x1110020e03191b824ad63c1b577707'),
	(5, 'registers', '\x11110204040202025001fc00c600da00'), (6, 'a table', '\x1112020e030000000059bc2f0000000040c686200020924d'),
	(7, 'bytes', '\x1113020403030504030a03030402040204040502')) t(n, what, image), LATERAL pg_temp.try(image)
ORDER BY n;
