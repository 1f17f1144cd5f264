-- What a filter says of itself: bloom_count and every column of bloom_info.

-- Filters of four capacities, with as many values as they are made for, but for the largest.
CREATE TEMP TABLE cases AS
	SELECT n, rate, seed, used, bloom_agg(v, n, rate, seed) AS f, bloom_agg('t' || v, n, rate, seed) AS t
	FROM (VALUES (1), (100), (10000), (900000)) a(n), (VALUES (0.1), (0.0001)) b(rate), (VALUES (0), (77)) c(seed),
		LATERAL (SELECT least(n, 10000) AS used) l, generate_series(1, used) v
	GROUP BY n, rate, seed, used;

-- bloom_count: the number of values, as the bits tell.
SELECT bloom_count('\x211000') AS none, bloom_count(bloom_empty(10, 0.01)) AS nothing, bloom_count(bloom_agg(1, 10, 0.01)) AS one,
	bloom_count(NULL) AS null;
SELECT n, bool_and(abs(bloom_count(f) / used::float8 - 1) < 0.05) AS numbers, bool_and(abs(bloom_count(t) / used::float8 - 1) < 0.05) AS texts, count(*)
FROM cases GROUP BY n ORDER BY n;
SELECT bloom_count(bloom_union(f)) AS near_280 FROM (SELECT bloom_agg(part * 60 + v, 1000, 0.01) AS f FROM generate_series(0, 3) part, generate_series(1, 100) v GROUP BY part) t;

-- bloom_info: every column.
\x on
SELECT what, i.* FROM (VALUES
	(1, 'without parameters', '\x211000'::bloom),
	(2, 'empty', bloom_empty(10, 0.01)),
	(3, 'empty, seed', bloom_empty(9223372036854775807 % 100000, 0.0001, -9223372036854775808)),
	(4, 'one array', (SELECT bloom_agg(ARRAY[1, 2], 10, 0.01, 9223372036854775807)))) t(n, what, f), bloom_info(f) i
ORDER BY n;
\x off
SELECT n, bool_and(i.capacity = n AND target_rate = rate AND i.seed = c.seed) AS parameters, min(value_type) AS kind,
	bool_and(expected_rate <= rate * 1.05) AS rate_is_kept, bool_and(items = bloom_count(f)) AS items,
	bool_and(i.bits = s.bits AND i.hashes = s.hashes AND i.bytes = s.bytes + CASE c.seed WHEN 0 THEN 0 ELSE 8 END) AS size,
	bool_and(i.bytes = 4 + length(f::bytea)) AS bytes, bool_and(fill_ratio = bits_set::float8 / i.bits) AS fill_ratio,
	bool_and(layers = 1 AND NOT scalable AND NOT saturated) AS fixed, count(*)
FROM cases c, bloom_info(f) i, bloom_sizing(n, rate) s GROUP BY n ORDER BY n;
-- By definition, block by block: bits set; expected rate; values.
SELECT n, rate, bool_and(bits_set = bits_there) AS bits_set, bool_and(abs(expected_rate / expected - 1) < 1e-9) AS expected_rate,
	bool_and(abs(items - counted) <= 0.5001) AS items, count(*)
FROM cases c, LATERAL (VALUES (f), (t), (bloom_union(f, f)), (bloom_add(t, 'more'))) u(g), bloom_info(g) i, LATERAL (
	SELECT sum(set) AS bits_there, avg((set / b) ^ hashes) AS expected,
		sum(ln(1 - set / b)) / (hashes * ln(1 - 1 / b)) AS counted
	FROM (VALUES (CASE WHEN rate < 0.001 THEN 4096.0::float8 ELSE 512 END)) s(b), LATERAL (
		SELECT bit_count(substr(g::bytea, length(g::bytea) - i.bits::int / 8 + 1 + block * b::int / 8, b::int / 8)) AS set
		FROM generate_series(0, i.bits::int / b::int - 1) block) blocks
	GROUP BY b) d
WHERE n <= 10000 GROUP BY n, rate ORDER BY n, rate;
SELECT bloom_info(NULL) IS NULL AS null_gives_null, (bloom_info(NULL)).bits IS NULL AS null_gives_nulls;
