-- Every function, operator, cast and aggregate of type topk, with a result. What a
-- sketch answers is compared with what SQL counts. The bytes shown here are file
-- format: an independent program that follows docs/FORMAT.md gives the same.

-- topk_empty: a sketch without values.
SELECT topk_empty(10) AS empty, topk_empty(10000) AS largest, topk_empty(1, -2) AS with_seed;
SELECT topk_empty(10, 0) = topk_empty(10) AS seed_defaults_to_0, topk_empty(10) = topk_empty(11) AS other_k,
	topk_empty(seed => 5, k => 7) = topk_empty(7, 5) AS by_name;

-- topk_agg with two to four arguments.
SELECT topk_agg(1, 10) AS one;
SELECT topk_agg(v, 10) AS three, topk_agg(v, 10, v::bigint) AS weighted FROM generate_series(1, 3) v;
SELECT topk_agg('v' || v, 3, v::bigint * v, -7) AS with_seed FROM generate_series(1, 5) v;
SELECT topk_agg(v, 10) = topk_agg(v, 10, 1) AS weight_1, topk_agg(v, 10, 1, 0) = topk_agg(v, 10) AS seed_0,
	topk_agg(v, 10, 1, 1) = topk_agg(v, 10) AS other_seed, topk_agg(v, 11) = topk_agg(v, 10) AS other_k,
	topk_agg(v, 10::smallint, 2::smallint) = topk_agg(v, 10, 2::bigint) AS types
FROM generate_series(1, 3) v;

-- Over no values: a sketch without parameters, whatever parameters were given.
SELECT topk_agg(v, 10) AS no_rows, topk_agg(v, 10, 5) AS weighted, topk_agg(v, 10, 1, 5) AS with_seed, topk_agg(v, -1, -1) AS impossible
FROM generate_series(1, 0) v;
SELECT topk_agg(v, 10) AS nulls, topk_agg(v, NULL, NULL) AS null_parameters, topk_agg(v, 10, -1) AS negative FROM (VALUES (NULL::text), (NULL)) t(v);
-- A NULL weight is skipped as a NULL value is; a weight of 0 adds nothing.
SELECT topk_agg(v, 10, w) = topk_agg(v, 10, w) FILTER (WHERE v IS NOT NULL AND w IS NOT NULL) AS skipped, (topk_info(topk_agg(v, 10, w))).total,
	topk_agg(v, 10, NULL) AS all_skipped, topk_agg(v, NULL, NULL) AS before_parameters_are_read
FROM (VALUES (1, 5), (NULL, 7), (2, NULL), (3, 0), (NULL, NULL), (1, 6)) t(v, w);
SELECT topk_agg(v, 10, 0) = topk_empty(10) AS nothing_but_0, topk_agg(v, 10, v - 1) = topk_agg(v, 10, v - 1) FILTER (WHERE v > 1) AS one_of_0
FROM generate_series(1, 3) v;

-- topk_items: the most frequent first, of equal ones the one with the smaller hash,
-- as an unsigned number. All is exact while there are counters left.
SELECT * FROM topk_items((SELECT topk_agg(v, 3) FROM (VALUES ('a'), ('b'), ('b'), (NULL), ('c'), ('b'), ('c'), ('d')) t(v)));
SELECT * FROM topk_items((SELECT topk_agg(v, 3) FROM (VALUES ('a'), ('b'), ('c'), ('d'), ('e')) t(v)));
SELECT v FROM (VALUES ('a'), ('b'), ('c'), ('d'), ('e')) t(v) ORDER BY encode(int8send(sketch_hash(v)), 'hex') LIMIT 3;
SELECT * FROM topk_items((SELECT topk_agg(v, 2, w) FROM (VALUES (1, 5), (2, 3), (1, 1), (3, 7), (2, 4)) t(v, w)));
-- A limit of fewer rows, of more than k, and of none. As many as there are.
SELECT "limit",
	i.*
FROM (SELECT topk_agg(v % 4, 2, v) AS s FROM generate_series(1, 10) v) t,
	unnest(ARRAY[0, 1, 3, 100, 2147483647]) "limit",
	topk_items(s, "limit") i ORDER BY 1, rank;
SELECT count(*) FROM topk_items((SELECT topk_agg(v, 10) FROM generate_series(1, 3) v));
SELECT count(*) AS empty,
	(SELECT count(*) FROM topk_items((SELECT topk_agg(1, 1) WHERE false))) AS no_sketch,
	(SELECT count(*) FROM topk_items('\x611000')) AS bare,
	(SELECT count(*) FROM topk_items(topk_empty(5), NULL)) AS no_limit FROM topk_items(topk_empty(5));
-- In a target list, with other functions that give rows, by name, with ordinality, and in a function.
SELECT topk_items(topk_agg(v % 3, 5)) FROM generate_series(1, 7) v;
SELECT (topk_items(topk_agg(v % 3, 5), 2)).*, generate_series(1, 3) AS n FROM generate_series(1, 7) v;
SELECT i.item,
	o
FROM (SELECT topk_agg(v % 3, 5) AS s FROM generate_series(1, 7) v) t,
	topk_items(sketch => s, "limit" => 2) WITH ORDINALITY i(rank, item, count, error, guaranteed, o);
SELECT g,
	array_agg(item || ': ' || i.count ORDER BY rank) AS items
FROM (SELECT v % 2 AS g, topk_agg(v % 5, 2, v) AS s FROM generate_series(1, 20) v GROUP BY v % 2) t,
	topk_items(s) i
GROUP BY g ORDER BY g;
CREATE FUNCTION pg_temp.favourites(s topk) RETURNS SETOF text LANGUAGE sql AS 'SELECT item FROM topk_items(s) ORDER BY rank';
SELECT * FROM pg_temp.favourites((SELECT topk_agg(v % 3, 5, v) FROM generate_series(1, 7) v));

-- Of 200,000 views of 5,000 books the book of rank r has 1/r as many as the first. In
-- every order and from parts united in every way the sketch names the first ten in
-- order, each once, with the truth between count - error and count; and no other value
-- came more often than max_error says.
CREATE TEMP TABLE truth AS SELECT book, 22000 / book AS n FROM generate_series(1, 5000) book;
CREATE TEMP TABLE views AS SELECT book, row_number() OVER (ORDER BY md5(book || '/' || i)) AS pos FROM truth, generate_series(1, n) i;
SELECT count(*), count(DISTINCT book) AS books FROM views;
CREATE TEMP TABLE built AS
	SELECT 'random' AS how, topk_agg(book, 10 ORDER BY pos) AS s, topk_agg(book, 100 ORDER BY pos) AS hundred FROM views
	UNION ALL SELECT 'heavy first', topk_agg(book, 10 ORDER BY book), topk_agg(book, 100 ORDER BY book) FROM views
	UNION ALL SELECT 'heavy last', topk_agg(book, 10 ORDER BY book DESC), topk_agg(book, 100 ORDER BY book DESC) FROM views
	UNION ALL SELECT 'weights', topk_agg(book, 10, n), topk_agg(book, 100, n) FROM truth
	UNION ALL SELECT 'random parts',
		topk_union(s ORDER BY part),
		topk_union(hundred ORDER BY part)
	FROM (SELECT pos % 8 AS part, topk_agg(book, 10 ORDER BY pos) AS s, topk_agg(book, 100 ORDER BY pos) AS hundred FROM views GROUP BY 1) t
	UNION ALL SELECT 'contiguous parts',
		topk_union(s ORDER BY part),
		topk_union(hundred ORDER BY part)
	FROM (SELECT pos / 30000 AS part, topk_agg(book, 10 ORDER BY pos) AS s, topk_agg(book, 100 ORDER BY pos) AS hundred FROM views GROUP BY 1) t
	UNION ALL SELECT 'parts by value',
		topk_union(s ORDER BY part),
		topk_union(hundred ORDER BY part)
	FROM (SELECT sketch_hash(book) & 7 AS part, topk_agg(book, 10 ORDER BY pos) AS s, topk_agg(book, 100 ORDER BY pos) AS hundred FROM views GROUP BY 1) t
	UNION ALL SELECT 'two by two', (p[1] || p[2]) || (p[3] || p[4]), (q[1] || q[2]) || (q[3] || q[4])
		FROM (SELECT array_agg(s ORDER BY part) AS p, array_agg(hundred ORDER BY part) AS q
			FROM (SELECT pos % 4 AS part, topk_agg(book, 10 ORDER BY pos) AS s, topk_agg(book, 100 ORDER BY pos) AS hundred FROM views GROUP BY 1) t) u;
SELECT how, (SELECT array_agg(item::int ORDER BY rank) = ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] FROM topk_items(s)) AS top_ten,
	(SELECT count(*) || ' ' || count(DISTINCT item) || ' ' || bool_and(n BETWEEN i.count - error AND i.count)::text
		FROM topk_items(s, 1000) i
		JOIN truth ON book = item::int) AS items,
	(SELECT bool_and(n <= max_error) FROM truth WHERE book NOT IN (SELECT item::int FROM topk_items(s, 1000))) AS others,
	total = (SELECT count(*) FROM views) AS total,
	max_error <= total / counters AS bound, counters_used
FROM built, topk_info(s) ORDER BY how;
-- k = 100: who has as many views as the book of rank 100 belongs to the first hundred.
-- In parts by value the first ones are not full, and each union adds to the values that it
-- has not got: errors of 0 to 38, more than is between the books of rank 90 and 107.
-- (test/tap/topk_views.pl has all this for longer tails.)
SELECT how,
	(SELECT count(*) >= CASE how WHEN 'parts by value' THEN 95 ELSE 100 END
		FROM topk_items(hundred)
		JOIN truth ON book = item::int
		WHERE n >= (SELECT n FROM truth WHERE book = 100)) AS recall,
	(SELECT bool_and(n BETWEEN i.count - error AND i.count) FROM topk_items(hundred) i JOIN truth ON book = item::int) AS bounds,
	(SELECT count(*) FROM topk_items(hundred) WHERE guaranteed) >= 95 AS guaranteed,
	(SELECT array_agg(item::int ORDER BY rank) = ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] FROM topk_items(hundred, 10)) AS top_ten
FROM built ORDER BY how;
-- What is guaranteed is certain: it is among so many of the truth.
SELECT how,
	count(*) FILTER (WHERE guaranteed) >= 100 AS guaranteed,
	count(*) FILTER (WHERE guaranteed AND n < (SELECT min(n) FROM (SELECT n FROM truth ORDER BY n DESC LIMIT "limit") t)) AS wrong
FROM built, unnest(ARRAY[1, 5, 20, 100]) "limit", topk_items(s, "limit") JOIN truth ON book = item::int GROUP BY how ORDER BY how;

-- topk_count: the count of a value that is held, of others the most that they can have.
SELECT how, bool_and(topk_count(s, book) >= n) AS never_under, bool_and(topk_count(s, book) <= n + max_error) AS within_the_bound,
	bool_and(topk_count(s, -book) = max_error) AS absent, (SELECT bool_and(topk_count(s, item::int) = i.count) FROM topk_items(s, 1000) i) AS held
FROM built, topk_info(s), truth GROUP BY how, s ORDER BY how;
SELECT topk_count(s, 1) AS two, topk_count(s, 2) AS one, topk_count(s, 3) AS none, topk_count(s, 1::smallint) AS smallint, topk_count(s, 1::bigint) AS bigint,
	topk_count(topk_empty(1), 1) AS empty, topk_count('\x611000', 'a') AS bare FROM (SELECT topk_agg(v, 1) AS s FROM (VALUES (1), (NULL), (2), (1)) t(v)) t;

-- topk_info.
SELECT how, i.* FROM built, topk_info(hundred) i WHERE how IN ('weights', 'heavy first') ORDER BY how;
SELECT * FROM topk_info('\x611000');
SELECT * FROM topk_info(topk_empty(3, -9223372036854775808));
SELECT * FROM topk_info((SELECT topk_agg('x'::text, 10000, 1000000000000)));
SELECT k, counters FROM unnest(ARRAY[1, 99, 100, 101, 5000, 10000]) n, topk_info(topk_empty(n)) ORDER BY 1;
SELECT bool_and(bytes = length(s::bytea) + 4) AS bytes FROM built, topk_info(s);
SELECT value_type,
	count(*)
FROM unnest((SELECT ARRAY[topk_agg(1::smallint, 1), topk_agg(1, 1), topk_agg(1::bigint, 1), topk_agg(1.0, 1), topk_agg(1.0::real, 1), topk_agg('a', 1),
	topk_agg(date '2024-01-01', 1), topk_agg('{1}'::int[], 1), topk_agg(true, 1), topk_agg(ROW(1), 1)])) s,
	topk_info(s)
GROUP BY value_type ORDER BY value_type COLLATE "C";
-- Small while few values are known, and with 1,000 short ones.
SELECT pg_column_size(topk_empty(100)) AS empty, (SELECT pg_column_size(topk_agg('value ' || v, 100)) FROM generate_series(1, 3) v) AS three,
	(SELECT pg_column_size(topk_agg('value ' || v, 100)) FROM generate_series(1, 1000) v) <= 64 * 1024 AS thousand,
	(SELECT pg_column_size(topk_agg(v, 100)) FROM generate_series(1, 100000) v) <= 30 * 1024 AS many;

-- topk_add: one more, or a weight more. Nothing changes for NULL and for 0.
SELECT topk_add(topk_empty(10, 5), 'a', 7) = topk_agg('a', 10, 7, 5) AS its_own, topk_add(topk_add(topk_empty(10), 1), 1, 4) = topk_agg(1, 10, 5) AS again,
	topk_add(topk_empty(10), 1, 0) = topk_empty(10) AS weight_0, topk_add(topk_empty(10), NULL) = topk_empty(10) AS no_value,
	topk_add(topk_empty(10), 1, NULL) = topk_empty(10) AS no_weight, topk_add(NULL, 1) IS NULL AND topk_add(NULL, 1, 1) IS NULL AS no_sketch,
	topk_add('\x611000', NULL) AS bare;
SELECT how,
	topk_count(topk_add(s, 5), 5) - topk_count(s, 5) AS one,
	topk_count(topk_add(s, 5, 99), 5) - topk_count(s, 5) AS weight,
	topk_add(s, 5, 0) = s AND topk_add(s, NULL) = s AND topk_add(s, 5, NULL) = s AS nothing,
	(topk_info(topk_add(s, 5, 99))).total - (topk_info(s)).total AS total,
	topk_count(topk_add(s, -5, 7), -5) = (topk_info(s)).max_error + 7 AS takes_over
FROM built ORDER BY how;
DO $$
DECLARE
	s topk := topk_empty(2);
BEGIN
	FOR v IN 1..3000 LOOP s := topk_add(s, v % 700, v); END LOOP;
	RAISE NOTICE 'one by one: %', s = (SELECT topk_agg(v % 700, 2, v) FROM generate_series(1, 3000) v);
END
$$;

-- topk_union and ||. While nothing was taken over the bytes are those of building from all rows.
SELECT topk_union(a, b) = c AND a || b = c AND b || a = c AS parts,
	a || topk_empty(5) = a AND topk_empty(5) || a = a AND a || '\x611000' = a AND '\x611000' || a = a AS empty,
	topk_empty(5) || topk_empty(5) = topk_empty(5) AS empty_ones,
	('\x611000'::topk || '\x611000') = '\x611000' AS bare,
	'\x611000' || topk_empty(3, 7) = topk_empty(3, 7) AS takes_parameters,
	(topk_info(a || a)).total = 2 * (topk_info(a)).total AND topk_count(a || a, 1) = 2 * topk_count(a, 1) AS twice
FROM (SELECT topk_agg(book, 5) FILTER (WHERE book <= 300) AS a,
	topk_agg(book, 5) FILTER (WHERE book > 300) AS b,
	topk_agg(book, 5) AS c
	FROM views
	WHERE book <= 900) t;
SELECT topk_union(s) = (SELECT topk_agg(book, 5) FROM views WHERE book <= 900) AS aggregate, topk_union(s) FILTER (WHERE false) IS NULL AS none,
	topk_union(NULL::topk) IS NULL AS null, topk_union(s ORDER BY book DESC) = topk_union(s) AS backwards,
	topk_union(s) FILTER (WHERE book = 1) = (SELECT topk_agg(book::bigint, 5, n) FROM truth WHERE book = 1) AS one
FROM (SELECT book, topk_agg(book, 5) AS s FROM views WHERE book <= 900 GROUP BY book) t;
SELECT topk_union(s) = (SELECT topk_agg(1, 5, 2)) AS with_empty_and_null, topk_union(s) FILTER (WHERE n IN (1, 3)) AS only_bare,
	topk_union(s) FILTER (WHERE n IN (1, 3, 5)) = topk_empty(5) AS bare_and_empty
FROM (VALUES (1, '\x611000'::topk), (2, topk_add(topk_empty(5), 1)), (3, NULL), (4, topk_add(topk_empty(5), 1)), (5, topk_empty(5))) t(n, s);

-- Totals and counts up to the end of bigint.
SELECT total,
	topk_count(s, 'a') AS a,
	topk_count(s, 'b') AS b,
	s = s::text::topk AS text,
	(SELECT string_agg(item || ' ' || i.count, ', ' ORDER BY rank) FROM topk_items(s) i) AS items
FROM (SELECT topk_agg(v, 5, w) AS s FROM (VALUES ('a', 9223372036854775806), ('b', 1)) t(v, w)) t, topk_info(s);

-- Text and bytes, there and back.
SELECT s::text::topk = s AND s::bytea::topk = s AND s::text = '\x' || encode(s::bytea, 'hex') AND topk_send(s) = s::bytea AS "round"
FROM (VALUES ('\x611000'::topk), (topk_empty(5)), (topk_add(topk_empty(5), 1)), (topk_add(topk_empty(10000, 7), 'x', 5000000000))) t(s)
UNION ALL SELECT bool_and(s::text::topk = s AND s::bytea::topk = s) FROM built;
