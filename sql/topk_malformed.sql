-- Bytes that come in from outside: every reason for which they are no topk, and what
-- is one. The layout is in docs/FORMAT.md; the short of it:
--
--   61 10 08          topk of version 1, XXH3 and form 0 (at rest), texts
--   0a                k = 10: up to 1,000 counters
--   05 02             N = 5 in 2 counters
--   hash 03 00 01 61  the hash, count 3, error 0, text of 1 byte: a
--   hash 02 00 01 62  the next larger hash, count 2, error 0: b
--
-- Hashes are anything here; only their order is checked.
SELECT topk_agg(v, 10) AS two FROM (VALUES ('a'), ('b'), ('a'), ('b'), ('a')) t(v);

-- What text input and the cast from bytea say, if it is the same. A, B and C stand for
-- hashes in ascending order, F for 997 counters with hashes between those, each with
-- count 2, error 1 and no text.
CREATE FUNCTION pg_temp.image(digits text) RETURNS bytea AS $$
	SELECT decode(replace(replace(replace(replace(replace(digits, 'A', '0100000000000000'), 'B', '2a000000000000ee'), 'C', 'ffffffffffffffff'),
		'F', (SELECT string_agg(lpad(to_hex(256 + i / 200), 4, '0') || lpad(to_hex(i % 200), 12, '0') || '020100', '' ORDER BY i % 200, i)
			FROM generate_series(1, 997) i)), ' ', ''), 'hex')
$$ LANGUAGE sql;
CREATE FUNCTION pg_temp.input(image bytea) RETURNS text AS $$
DECLARE
	by_text text;
	by_bytea text;
BEGIN
	BEGIN
		by_text := 'accepted as ' || image::text::topk::text;
	EXCEPTION WHEN OTHERS THEN
		by_text := SQLSTATE || ' ' || SQLERRM;
	END;
	BEGIN
		by_bytea := 'accepted as ' || image::topk::text;
	EXCEPTION WHEN OTHERS THEN
		by_bytea := SQLSTATE || ' ' || SQLERRM;
	END;
	RETURN CASE
		WHEN by_text <> by_bytea THEN by_text || ', but ' || by_bytea
		WHEN by_text = 'accepted as ' || image::text THEN 'accepted'
		ELSE replace(by_text, 'malformed topk: ', '') END;
END
$$ LANGUAGE plpgsql;
DO $$ BEGIN PERFORM '\x1110000000'::topk; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%: %', SQLSTATE, SQLERRM; END $$;

SELECT what, pg_temp.input(pg_temp.image(digits)) FROM (VALUES
	-- Too short, or too long.
	(1, 'nothing', ''),
	(2, 'half a header', '61 10'),
	(3, 'half a seed', '61 18 08 2a 00 00 00'),
	(4, 'no total', '61 10 08 0a'),
	(5, 'half a total', '61 10 08 0a 80'),
	(6, 'no number of counters', '61 10 08 0a 05'),
	(7, 'half a number of counters', '61 10 08 0a 05 82'),
	(8, 'no counters', '61 10 08 0a 05 02'),
	(9, 'a counter too few', '61 10 08 0a 05 02 A 03 00 01 61'),
	(10, 'half a hash', '61 10 08 0a 05 01 01 00 00 00'),
	(11, 'no count', '61 10 08 0a 05 01 A'),
	(12, 'half a count', '61 10 08 0a 05 01 A 85'),
	(13, 'no error', '61 10 08 0a 05 01 A 05'),
	(14, 'no length', '61 10 08 0a 05 01 A 05 00'),
	(15, 'no text', '61 10 08 0a 05 01 A 05 00 01'),
	(16, 'half a text', '61 10 08 0a 05 01 A 05 00 02 61'),
	(17, 'a length past the end, and another counter behind it', '61 10 08 0a 05 02 A 03 00 20 61 B 02 00 01 62'),
	(18, 'a length of 2^63 - 1', '61 10 08 0a 05 01 A 05 00 ff ff ff ff ff ff ff ff 7f 61'),
	(19, 'a byte behind the last counter', '61 10 08 0a 05 01 A 05 00 01 61 00'),
	(20, 'a counter behind the last counter', '61 10 08 0a 05 01 A 05 00 01 61 B 02 00 01 62'),
	(21, 'a byte behind nothing', '61 10 00 00'),
	(22, 'a byte behind no values', '61 10 00 0a 00 00 00'),
	-- Not a sketch of this version of this type; a state of an aggregate.
	(30, 'another sketch', '51 10 00'),
	(31, 'no sketch', '01 10 00'),
	(32, 'version 0', '60 10 00'),
	(33, 'version 2', '62 10 00'),
	(34, 'hash family 0', '61 00 00'),
	(35, 'hash family 2', '61 20 00'),
	(36, 'form 1, which is for states', '61 11 08 0a 00 00 00 03 00 00 00' || repeat('00', 300)),
	(37, 'form 1 and nothing else', '61 11 00'),
	(38, 'form 7', '61 17 00'),
	(39, 'a kind of value too high', '61 10 1d 0a 05 01 A 05 00 01 61'),
	(40, 'arrays of nothing', '61 10 40 0a 05 01 A 05 00 01 61'),
	-- Parameters.
	(50, 'a seed of zero', '61 18 00 00 00 00 00 00 00 00 00 0a 00 00'),
	(51, 'a seed and nothing else', '61 18 00 2a 00 00 00 00 00 00 00'),
	(52, 'k 0', '61 10 00 00 00 00'),
	(53, 'k 10,001', '61 10 00 91 4e 00 00'),
	(54, 'k 2^32 + 10', '61 10 00 8a 80 80 80 10 00 00'),
	(55, 'k 2^63', '61 10 00 80 80 80 80 80 80 80 80 80 01 00 00'),
	(56, 'k that is not in its shortest form', '61 10 00 8a 00 00 00'),
	-- Counts that do not add up.
	(60, 'counts that sum up to less than N', '61 10 08 0a 06 02 A 03 00 01 61 B 02 00 01 62'),
	(61, 'to more than N', '61 10 08 0a 04 02 A 03 00 01 61 B 02 00 01 62'),
	(62,
		'to N modulo 2^64',
		'61 10 08 0a 05 03 A 85 80 80 80 80 80 80 80 40 00 01 61 B 80 80 80 80 80 80 80 80 40 00 01 62 C 80 80 80 80 80 80 80 80 80 01 00 01 63'),
	(63, 'N = 2^63', '61 10 08 0a 80 80 80 80 80 80 80 80 80 01 01 A 80 80 80 80 80 80 80 80 80 01 00 01 61'),
	(64, 'N that is not in its shortest form', '61 10 08 0a 85 00 01 A 05 00 01 61'),
	(65, 'a total, but no counters', '61 10 08 0a 05 00'),
	(66, 'counters, but no total', '61 10 00 0a 00 01 A 00 00 01 61'),
	(67, '1,001 counters', '61 10 08 0a 05 e9 07 A 03 00 01 61'),
	(68, '2^40 counters', '61 10 08 0a 05 80 80 80 80 80 20 A 03 00 01 61'),
	(69, 'more counters than bytes', '61 10 08 0a 05 e8 07 A 03 00 01 61 B 02 00 01 62'),
	(70, 'a count of 0', '61 10 08 0a 05 02 A 05 00 01 61 B 00 00 01 62'),
	(71, 'a count that is not in its shortest form', '61 10 08 0a 05 01 A 85 00 00 01 61'),
	(72, 'an error, though counters are left', '61 10 08 0a 05 02 A 03 01 01 61 B 02 00 01 62'),
	(73, 'an error as large as the count', '61 10 08 0a 05 01 A 05 05 01 61'),
	(74, 'all counters taken, counts above N', '61 10 08 0a cf 0f e8 07 A 03 02 01 61 F B 03 01 01 62 C 04 00 01 63'),
	(75, 'all counters taken, an error above the least count', '61 10 08 0a d6 0f e8 07 A 05 03 01 61 F B 03 01 01 62 C 04 00 01 63'),
	-- Counters out of order, or twice.
	(80, 'descending', '61 10 08 0a 05 02 B 03 00 01 61 A 02 00 01 62'),
	(81, 'one hash twice', '61 10 08 0a 05 02 A 03 00 01 61 A 02 00 01 62'),
	(82, 'the largest hash first', '61 10 08 0a 05 02 C 03 00 01 61 B 02 00 01 62'),
	-- Kinds.
	(90, 'a kind of value, but no value', '61 10 08 0a 00 00'),
	(91, 'a value, but no kind', '61 10 00 0a 05 01 A 05 00 01 61'),
	(92, 'a kind of value, and nothing else', '61 10 08'),
	-- Texts.
	(100, 'a byte of zero', '61 10 08 0a 05 01 A 05 00 03 61 00 61'),
	(101, 'half a character', '61 10 08 0a 05 01 A 05 00 01 c3'),
	(102, 'a continuation byte', '61 10 08 0a 05 01 A 05 00 01 a9'),
	(103, 'a byte that UTF-8 has not', '61 10 08 0a 05 01 A 05 00 02 61 ff'),
	(104, 'a character in too many bytes', '61 10 08 0a 05 01 A 05 00 02 c0 80'),
	(105, 'a surrogate', '61 10 08 0a 05 01 A 05 00 03 ed a0 80'),
	(106, 'a character beyond 0x10FFFF', '61 10 08 0a 05 01 A 05 00 04 f4 90 80 80'),
	(107, 'one that begins with it, in the second text', '61 10 08 0a 05 02 A 03 00 01 61 B 02 00 02 c3 c3'),
	(108, 'a text of 10,241 bytes', '61 10 08 0a 05 01 A 05 00 81 50' || repeat('61', 10241))) t(n, what, digits)
ORDER BY n;

-- What is accepted, as it is.
SELECT what, pg_temp.input(pg_temp.image(digits)) FROM (VALUES
	(1, 'nothing', '61 10 00'),
	(2, 'no values', '61 10 00 0a 00 00'),
	(3, 'with a seed', '61 18 00 2a 00 00 00 00 00 00 00 0a 00 00'),
	(4, 'k 10,000', '61 10 00 90 4e 00 00'),
	(5, 'one value', '61 10 08 0a 05 01 A 05 00 01 61'),
	(6, 'an empty text', '61 10 08 0a 05 01 C 05 00 00'),
	(7, 'other kinds', '61 10 02 0a 05 01 A 05 00 01 61'),
	(8, 'the same text twice', '61 10 08 0a 05 02 A 03 00 01 61 C 02 00 01 61'),
	(9, 'N = 2^63 - 1', '61 10 08 0a ff ff ff ff ff ff ff ff 7f 01 A ff ff ff ff ff ff ff ff 7f 00 01 61'),
	(10, 'characters of all lengths', '61 10 08 0a 05 01 A 05 00 0a 61 c3 a9 e4 ba 9c f0 9f 98 80'),
	(11, 'a text of 10,240 bytes', '61 10 08 0a 05 01 A 05 00 80 50' || repeat('61', 10240)),
	(12, 'all counters taken, N more than the counts', '61 10 08 0a d5 0f e8 07 A 03 02 01 61 F B 03 01 01 62 C 04 00 01 63'),
	(13, 'N = the counts', '61 10 08 0a d4 0f e8 07 A 03 02 01 61 F B 03 01 01 62 C 04 00 01 63')) t(n, what, digits)
ORDER BY n;
SELECT i.rank,
	i.item,
	i.count,
	i.error,
	i.guaranteed
FROM topk_items(pg_temp.image('61 10 08 0a d5 0f e8 07 A 03 02 01 61 F B 03 01 01 62 C 04 00 01 63')::topk, 4) i;
-- The hash of a value is the one of that value.
SELECT ('\x611002070701' || image || '070001' || '31')::topk = (SELECT topk_agg(1, 7, 7)) AS as_built
FROM (SELECT string_agg(lpad(to_hex(sketch_hash(1) >> 8 * i & 255), 2, '0'), '' ORDER BY i) AS image FROM generate_series(0, 7) i) t;

-- No prefix of a sketch is one but the first three bytes, and nothing behind one is ignored.
CREATE FUNCTION pg_temp.outcome(image bytea) RETURNS text AS $$
BEGIN
	PERFORM image::topk;
	RETURN 'accepted';
EXCEPTION WHEN invalid_binary_representation THEN
	RETURN 'refused';
END
$$ LANGUAGE plpgsql;
CREATE TEMP TABLE images AS
	SELECT 1 AS n, 'few' AS what, topk_agg(v, 5, v)::bytea AS image FROM generate_series(1, 40) v
	UNION ALL SELECT 2, 'many', topk_agg(v, 5)::bytea FROM generate_series(1, 3000) v
	UNION ALL SELECT 3, 'texts, seed', topk_agg('value ' || v, 5, v * v, 9)::bytea FROM generate_series(1, 100) v
	UNION ALL SELECT 4, 'empty', topk_empty(5)::bytea;
SELECT what, count(*) FILTER (WHERE pg_temp.outcome(substr(image, 1, bytes)) = 'accepted' AND substr(image, 1, 3) <> '\x611000') AS prefixes,
	pg_temp.outcome(image || '\x00') AS a_byte_more, pg_temp.outcome(image || image) AS twice
FROM images, generate_series(0, length(image) - 1) bytes GROUP BY n, what, image ORDER BY n;
SELECT pg_temp.outcome(substr(image, 1, 3)) AS bare FROM images WHERE n = 4;

-- The text form is \x and pairs of digits, nothing else.
CREATE FUNCTION pg_temp.text_input(input text) RETURNS text AS $$
BEGIN
	RETURN 'accepted as ' || input::topk::text;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT quote_literal(input) AS input, pg_temp.text_input(input) FROM (VALUES (1, ''), (2, '\x'), (3, '\x6'), (4, '\x61100'), (5, '611000'),
	(6, '\X611000'), (7, '\x6110zz'), (8, ' \x611000'), (9, '\x611000 '), (10, 'topk'), (11, '\x6110000A0000')) t(n, input)
ORDER BY n;
-- The binary door, as clients and COPY use it, is in the TAP tests.

-- Every change of one byte is refused, or gives a sketch that all functions take.
CREATE FUNCTION pg_temp.sound(s topk) RETURNS boolean AS $$
	SELECT i.bytes = length(s::bytea) + 4 AND (i.total = 0) = (i.value_type IS NULL) AND i.max_error <= i.total / greatest(i.counters, 1)
		AND s || '\x611000' = s AND '\x611000' || s = s AND s::bytea::topk = s AND s::text::topk = s AND topk_agg_final(s) = s
		AND topk_add(s, NULL) = s AND (SELECT topk_union(u) = s FROM (VALUES (s), ('\x611000'::topk)) t(u))
		AND (SELECT count(*) = least(i.k, i.counters_used)
			AND coalesce(bool_and(count > error AND error >= 0 AND item IS NOT NULL AND (error = 0 OR i.counters_used = i.counters)), true)
			FROM topk_items(s))
		AND (SELECT coalesce(sum(count), 0) <= i.total AND count(*) = i.counters_used FROM topk_items(s, 100000))
	FROM topk_info(s) i
$$ LANGUAGE sql;
-- With a value of the kind that it holds, if that is text or integer; a total may be near the largest.
CREATE FUNCTION pg_temp.adds(s topk) RETURNS boolean AS $$
BEGIN
	RETURN CASE (topk_info(s)).value_type
		WHEN 'integer' THEN topk_count(topk_add(s, 5), 5) > topk_count(s, 5)
		WHEN 'text' THEN topk_count(topk_add(s, 'added'), 'added') > topk_count(s, 'added')
		ELSE true END;
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN (topk_info(s)).total = 9223372036854775807;
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION pg_temp.doubles(s topk) RETURNS boolean AS $$
BEGIN
	RETURN (topk_info(s || s)).total = 2 * (topk_info(s)).total AND NOT EXISTS (
		SELECT FROM topk_items(s, 100000) a FULL JOIN topk_items(s || s, 100000) b USING (rank)
		WHERE (a.item, 2 * a.count, 2 * a.error) IS DISTINCT FROM (b.item, b.count, b.error));
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN (topk_info(s)).total > 4611686018427387903;
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION pg_temp.try(image bytea, places int, OUT refused int, OUT sound int, OUT unsound int) AS $$
DECLARE
	s topk;
BEGIN
	refused := 0; sound := 0; unsound := 0;
	FOR place IN 0..least(places, length(image)) - 1 LOOP
		FOR value IN 0..255 LOOP
			BEGIN
				s := set_byte(image, place, value)::topk;
				IF pg_temp.sound(s) AND pg_temp.adds(s) AND pg_temp.doubles(s) THEN sound := sound + 1; ELSE unsound := unsound + 1; END IF;
			EXCEPTION WHEN invalid_binary_representation THEN
				refused := refused + 1;
			END;
		END LOOP;
	END LOOP;
END
$$ LANGUAGE plpgsql;
SELECT what, refused > 300 AS refused, sound > 0 AS accepted, unsound, refused + sound + unsound AS tried
FROM (VALUES (1, 'nothing', '\x611000'::bytea), (2, 'no values', topk_empty(5)::bytea), (3, 'no values, seed', topk_empty(5, 7)::bytea),
	(4, 'texts', (SELECT topk_agg(v, 5) FROM (VALUES ('a'), ('b'), (U&'\00E9'), ('a')) t(v))::bytea),
	(5, 'integers, weights', (SELECT topk_agg(v, 5, v * 1000) FROM generate_series(1, 3) v)::bytea),
	(6, 'all counters taken', (SELECT topk_agg(v, 5) FROM generate_series(1, 1500) v)::bytea)) t(n, what, image),
	LATERAL pg_temp.try(image, CASE WHEN n < 6 THEN 50 ELSE 19 END)
ORDER BY n;
