-- Sketches as people keep and ask them: tables of all kinds, upserts, views,
-- prepared statements, sub-queries, functions.

SET datestyle = 'ISO';
CREATE SCHEMA usage;
SET search_path = usage, public;
CREATE TABLE visits AS
	SELECT date '2024-01-01' + d AS day, (d * 500 + i * i) % 3001 AS visitor, 'page ' || i % 7 AS page
	FROM generate_series(0, 9) d, generate_series(1, 1000) i;
CREATE FUNCTION exact(from_day date, to_day date) RETURNS bigint
	AS 'SELECT count(DISTINCT visitor) FROM visits WHERE day BETWEEN from_day AND to_day' LANGUAGE sql;

-- A sketch a day, and unions of them; every error is below 3 %.
CREATE TABLE daily (day date PRIMARY KEY,
	h hll NOT NULL DEFAULT hll_empty() CHECK ((hll_info(h)).representation IN ('empty', 'sparse')));
INSERT INTO daily SELECT day, hll_agg(visitor) FROM visits GROUP BY day;
SELECT day, hll_count(h) AS estimate, exact(day, day) FROM daily ORDER BY day LIMIT 3;
SELECT count(*) AS spans, bool_and(abs(estimate / exact(a, b)::float8 - 1) < 0.03) AS close
FROM (SELECT a.day AS a, b.day AS b, (SELECT hll_count(hll_union(h)) FROM daily WHERE day BETWEEN a.day AND b.day) AS estimate
	FROM daily a JOIN daily b ON b.day >= a.day) t;

-- Defaults and checks.
INSERT INTO daily (day) VALUES ('2024-02-01');
INSERT INTO daily VALUES ('2024-02-02', DEFAULT), ('2024-02-03', hll_empty(14));
SELECT day, # h AS none, h = hll_empty() AS no_parameters FROM daily WHERE day >= '2024-02-01' ORDER BY day;
INSERT INTO daily SELECT '2024-03-01', hll_agg(v, 4) FROM generate_series(1, 3) v;
ALTER TABLE daily ADD CONSTRAINT integers CHECK ((hll_info(h)).value_type = 'integer'),
	ADD CONSTRAINT precision_14 CHECK ((hll_info(h)).precision = 14);
INSERT INTO daily SELECT '2024-03-01', hll_agg('a'::text);
INSERT INTO daily SELECT '2024-03-01', hll_agg(1, 12);

-- Upserts, value by value and batch by batch, onto nothing and onto NULL.
CREATE TABLE pages (page text PRIMARY KEY, h hll);
INSERT INTO pages VALUES ('page 0', NULL), ('page 1', hll_empty());
DO $$
DECLARE
	d date;
BEGIN
	FOR d IN SELECT DISTINCT v.day FROM visits v ORDER BY v.day LOOP
		INSERT INTO pages SELECT page, hll_agg(visitor) FROM visits WHERE day = d GROUP BY page
		ON CONFLICT (page) DO UPDATE SET h = coalesce(pages.h, hll_empty()) || EXCLUDED.h;
	END LOOP;
END
$$;
SELECT count(*), bool_and(h = (SELECT hll_agg(visitor) FROM visits v WHERE v.page = p.page)) AS as_built FROM pages p;
INSERT INTO pages VALUES ('page 9', hll_add(hll_empty(), 1))
	ON CONFLICT (page) DO UPDATE SET h = hll_add(coalesce(pages.h, hll_empty()), 1);
INSERT INTO pages VALUES ('page 9', hll_add(hll_empty(), 2))
	ON CONFLICT (page) DO UPDATE SET h = hll_add(coalesce(pages.h, hll_empty()), 2) RETURNING # h AS two;
UPDATE pages SET h = hll_add(h, 3) WHERE page = 'page 9' RETURNING # h AS three;
UPDATE pages SET h = NULL WHERE page = 'page 9'
	RETURNING h || hll_empty() IS NULL AS null, # (coalesce(h, hll_empty()) || hll_add(hll_empty(), 1)) AS one;
MERGE INTO pages p USING (SELECT 'page 9' AS page, hll_add(hll_empty(), 5) AS h) n ON n.page = p.page
	WHEN MATCHED THEN UPDATE SET h = coalesce(p.h, hll_empty()) || n.h WHEN NOT MATCHED THEN INSERT VALUES (n.page, n.h);
SELECT # h AS one FROM pages WHERE page = 'page 9';

-- Other tables: temporary, unlogged, partitioned; a generated column and a trigger.
CREATE TEMP TABLE temporary AS SELECT * FROM daily;
CREATE UNLOGGED TABLE unlogged AS SELECT * FROM daily;
CREATE TABLE parted (day date, h hll DEFAULT hll_empty(), visitors bigint GENERATED ALWAYS AS (hll_count(h)) STORED)
	PARTITION BY RANGE (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO ('2024-01-05');
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM ('2024-01-05') TO (MAXVALUE);
INSERT INTO parted SELECT day, h FROM daily;
INSERT INTO parted (day) VALUES ('2024-05-01');
SELECT bool_and(d.h = t.h AND d.h = u.h AND d.h = p.h) AS equal, bool_and(p.visitors = # d.h) AS generated, count(*)
FROM daily d JOIN temporary t USING (day) JOIN unlogged u USING (day) JOIN parted p USING (day);
UPDATE parted SET h = hll_add(h, -1), day = day + 365 WHERE day = '2024-01-01'
	RETURNING visitors - (SELECT # h FROM daily WHERE day = '2024-01-01') AS one_more;
SELECT hll_union(h) = hll_add((SELECT hll_union(h) FROM daily), -1) AS moved FROM parted;
CREATE TABLE total (h hll);
INSERT INTO total VALUES (hll_empty());
CREATE FUNCTION add_to_total() RETURNS trigger AS $$
BEGIN
	UPDATE total SET h = h || NEW.h;
	RETURN NEW;
END
$$ LANGUAGE plpgsql;
CREATE TRIGGER add_to_total BEFORE INSERT ON unlogged FOR EACH ROW EXECUTE FUNCTION add_to_total();
INSERT INTO unlogged SELECT * FROM daily;
SELECT h = (SELECT hll_union(h) FROM daily) AS all FROM total;

-- Arrays and composites of sketches.
CREATE TYPE named AS (name text, h hll);
CREATE TABLE nested AS
	SELECT array_agg(h ORDER BY day) AS list, array_agg(ROW(day::text, h)::named ORDER BY day) AS rows,
		ARRAY[hll_empty(), NULL] AS short
	FROM daily;
SELECT count(*) = (SELECT count(*) FROM daily) AS all, hll_union(u) = (SELECT hll_union(h) FROM daily) AS unnested,
	bool_and(list[i] = u AND (rows[i]).h = u) AS subscripts,
	bool_and((rows[i]).h = (SELECT h FROM daily WHERE day = (rows[i]).name::date)) AS fields
FROM nested, LATERAL unnest(list) WITH ORDINALITY t(u, i);
UPDATE nested SET list[1] = hll_add(list[1], -1), short[2] = list[2], rows[1].name = 'first';
SELECT hll_count(list[1]) - (SELECT # h FROM daily ORDER BY day LIMIT 1) AS one_more, # short[2] = # list[2] AS copied, (rows[1]).name,
	list::text::hll[] = list AS text, rows::text::named[] = rows AS rows
FROM nested;
SELECT hll_union(h) = (SELECT hll_union(h) FROM daily) AS from_rows FROM nested, unnest(rows) r(name, h);

-- Views, materialised ones too.
CREATE VIEW weekly AS SELECT date_trunc('week', day)::date AS week, hll_union(h) AS h FROM daily GROUP BY 1;
CREATE MATERIALIZED VIEW weeks AS SELECT * FROM weekly WITH NO DATA;
REFRESH MATERIALIZED VIEW weeks;
CREATE UNIQUE INDEX ON weeks (week);
UPDATE daily SET h = hll_add(h, -5) WHERE day = '2024-01-09' AND hll_add(h, -5) <> h;
REFRESH MATERIALIZED VIEW CONCURRENTLY weeks;
SELECT bool_and(w.h = v.h) AS refreshed, count(*) FROM weeks w JOIN weekly v USING (week);

-- Prepared statements: custom plans, then the generic one.
PREPARE count_upto(date) AS
	SELECT hll_union(h) = (SELECT hll_agg(visitor) FROM visits WHERE day <= $1) AS same FROM daily WHERE day <= $1;
EXECUTE count_upto('2024-01-01');
EXECUTE count_upto('2024-01-02');
EXECUTE count_upto('2024-01-03');
EXECUTE count_upto('2024-01-04');
EXECUTE count_upto('2024-01-05');
EXECUTE count_upto('2024-01-06');
EXECUTE count_upto('2024-01-07');
PREPARE build(int, int, bigint) AS
	SELECT hll_agg(v % $1, $2, $3) = hll_agg(v, $2, $3) FILTER (WHERE v < $1) AS same, approx_count_distinct(v % $1) AS n
	FROM generate_series(0, 999) v;
EXECUTE build(10, 12, 5);
EXECUTE build(20, 4, 0);
EXECUTE build(30, 18, -1);
EXECUTE build(40, 14, 0);
EXECUTE build(50, 12, 5);
EXECUTE build(60, 12, 5);
EXECUTE build(70, 4, 1);
SET plan_cache_mode = force_generic_plan;
EXECUTE build(80, 5, 1);
PREPARE add_text AS SELECT # hll_add(hll_add(hll_empty(), $1), $2) AS n, sketch_hash($1) = sketch_hash($2) AS equal;
EXECUTE add_text('a', 'b');
EXECUTE add_text('a', 'a');
EXECUTE add_text(NULL, 'a');
RESET plan_cache_mode;

-- Correlated sub-queries, LATERAL, CTEs, a cursor that goes back.
SELECT count(*), bool_and(n = exact(day, day)) AS exact
FROM (SELECT day, (SELECT approx_count_distinct(visitor) FROM visits i WHERE i.day = o.day) AS n FROM daily o) t;
SELECT count(*), bool_and(l.h = d.h) AS same FROM daily d, LATERAL (SELECT hll_agg(visitor) AS h FROM visits v WHERE v.day = d.day) l
WHERE day < '2024-01-09';
WITH RECURSIVE growing AS (
	SELECT day, h FROM daily WHERE day = '2024-01-01'
	UNION ALL SELECT d.day, g.h || d.h FROM growing g JOIN daily d ON d.day = g.day + 1)
SELECT count(*), bool_and(h = (SELECT hll_union(h) FROM daily d WHERE d.day <= growing.day)) AS running FROM growing;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT day, round(hll_count(hll_union(h) OVER (ORDER BY day))::numeric, -2) AS hundreds FROM daily;
MOVE LAST FROM c;
FETCH ABSOLUTE 1 FROM c;
FETCH ABSOLUTE 3 FROM c;
FETCH PRIOR FROM c;
COMMIT;

-- Functions: sketches in and out, aggregates within aggregates by way of a function.
CREATE FUNCTION depth(n int) RETURNS hll AS $$
BEGIN
	IF n = 0 THEN RETURN hll_add(hll_empty(), 0); END IF;
	RETURN (SELECT hll_union(depth(n - 1)) || hll_agg(v) || hll_agg(hll_count(depth(n - 1)) + v) FROM generate_series(1, n) v);
END
$$ LANGUAGE plpgsql;
SELECT n, # depth(n) AS deep FROM generate_series(0, 4) n ORDER BY n;
CREATE FUNCTION loop_over(n int) RETURNS hll AS $$
DECLARE
	h hll;
	list hll[] := '{}';
BEGIN
	FOR i IN 1..n LOOP
		h := hll_add(coalesce(h, hll_empty()), i);
		list := list || h;
	END LOOP;
	IF (SELECT bool_and(# list[i] = i) FROM generate_series(1, n) i) THEN RETURN list[n]; END IF;
END
$$ LANGUAGE plpgsql;
SELECT loop_over(100) = hll_agg(v) AS loop FROM generate_series(1, 100) v;
CREATE FUNCTION sets(n int) RETURNS SETOF hll AS 'SELECT hll_agg(v) FROM generate_series(1, n) v GROUP BY v % 3' LANGUAGE sql;
SELECT hll_union(s) = (SELECT hll_agg(v) FROM generate_series(1, 50) v) AS set_returning FROM sets(50) s;
CREATE FUNCTION any_agg(VARIADIC anyarray) RETURNS hll AS 'SELECT hll_agg(v) FROM unnest($1) v' LANGUAGE sql;
SELECT # any_agg(1, 2, 2) AS two, # any_agg('a'::text, 'b', 'c') AS three, any_agg(1.0, 1.00) = hll_agg(1.000) AS numeric;
SELECT # any_agg(date '2024-01-01', '20240101') AS one, # any_agg(true, false, NULL) AS booleans;

-- COPY in text form, there and back.
CREATE TABLE copied (day date, h hll);
COPY (SELECT day, h FROM daily WHERE day >= '2024-02-01' ORDER BY day) TO STDOUT;
COPY copied FROM STDIN;
2024-04-01	\\x1110020e03191b824ad63c1b577707
2024-04-02	\N
\.
SELECT day, # h AS n FROM copied WHERE day >= '2024-04-01' ORDER BY day;

SET client_min_messages = warning;
DROP SCHEMA usage CASCADE;
