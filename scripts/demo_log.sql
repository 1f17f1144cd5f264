-- The fourth part of what demo.sh shows: a week of a web server's log, of which three
-- sketches a day are kept. As in demo.sql, the statements that are printed can be
-- copied.

\ir demo_begin.sql

\echo
\echo
\echo 'Who came, and what did they ask for? A week of a web server''s log, 300,000 requests'
\echo 'a day: of 50,000 paths the one of rank r is requested about 1/r as often as the first,'
\echo 'and few of them send most of the bytes.'

\echo
\echo '-- generating the log ...'
:start \gset
\set ECHO queries
CREATE FUNCTION noise(n int, salt int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
  'SELECT (hashint8extended(n, salt) & 1048575) / 1048576.0::float8';
CREATE TABLE log AS
SELECT date '2025-03-03' + n / 300000 AS day,
       inet '10.0.0.0' + (80000 * noise(n, 1) ^ 3 + n / 300000 * 5000)::int AS host,
       '/' || (ARRAY['products', 'articles', 'images'])[1 + p % 3] || '/' || p AS path,
       CASE WHEN p % 50 = 49 THEN 404 WHEN n % 9 = 0 THEN 304 ELSE 200 END AS status,
       CASE WHEN n % 9 = 0 THEN 0 ELSE (2000 / (0.001 + noise(p, 3)) * (0.5 + noise(n, 4)))::bigint END AS bytes
FROM (SELECT n, floor(50000 ^ noise(n, 2))::int AS p FROM generate_series(0, 2099999) n) requests;
\set ECHO none
VACUUM ANALYZE log;
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- one row a day: who came, the paths requested most, the paths that send most ...'
:start \gset
\set ECHO queries
CREATE TABLE daily_log AS
SELECT day, count(*) AS requests, hll_agg(host) AS hosts,
       topk_agg(path, 10) AS paths, topk_agg(path, 10, bytes) AS traffic
FROM log GROUP BY day;
\set ECHO none
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- different hosts a day, beside the exact numbers ...'
CREATE TEMP TABLE exact_hosts AS SELECT day, count(DISTINCT host) AS exact FROM log GROUP BY day;
\set ECHO queries
SELECT day, requests, exact, hll_count(hosts) AS estimate
FROM daily_log JOIN exact_hosts USING (day) ORDER BY day;
\set ECHO none

\echo
\echo '-- the ten paths of the week: the truth lies between the bounds ...'
:start \gset
CREATE TEMP TABLE exact_paths AS SELECT path, count(*) AS exact, sum(bytes) AS sent FROM log GROUP BY path;
:stop \gset
\set exact_took :took
:start \gset
\set ECHO queries
CREATE TABLE week AS
SELECT topk_union(paths) AS paths, topk_union(traffic) AS traffic FROM daily_log;

SELECT rank, item, count - error AS at_least, exact, count AS at_most, guaranteed
FROM week, topk_items(paths) JOIN exact_paths ON path = item ORDER BY rank;
\set ECHO none

\echo
\echo '-- those that sent most of the bytes, out of the same log ...'
\set ECHO queries
SELECT rank, item, pg_size_pretty(count - error) AS at_least, pg_size_pretty(sent) AS exact,
       pg_size_pretty(count) AS at_most, guaranteed
FROM week, topk_items(traffic, 5) JOIN exact_paths ON path = item ORDER BY rank;
\set ECHO none
:stop \gset

\pset tuples_only on
\pset format unaligned
SELECT format(E'\nBoth questions took %s s, the exact counts %s s. Bytes: sketches of a day %s, log %s.\n'
              'A path without a counter was requested %s times at most, of %s: what is listed as\n'
              'guaranteed is certainly among the first ten. The sketches hold the paths themselves.',
              :'took', :'exact_took', trim(to_char(max(pg_column_size(d.hosts) + pg_column_size(d.paths) + pg_column_size(d.traffic)), '999G999')),
              trim(to_char(pg_table_size('log'), '999G999G999')), trim(to_char(max(i.max_error), '999G999')),
              trim(to_char(max(i.total), '9G999G999')))
FROM daily_log d, week w, topk_info(w.paths) i;

DO $$
BEGIN
  IF (SELECT array_agg(item ORDER BY rank) FROM week, topk_items(paths))
     <> ARRAY(SELECT path FROM exact_paths ORDER BY exact DESC LIMIT 10) THEN
    RAISE 'these are not the ten most requested paths';
  END IF;
  IF EXISTS (SELECT FROM week, topk_items(paths) JOIN exact_paths ON path = item
             WHERE exact NOT BETWEEN count - error AND count) OR
     EXISTS (SELECT FROM week, topk_items(traffic) JOIN exact_paths ON path = item
             WHERE sent NOT BETWEEN count - error AND count) THEN
    RAISE 'a number is outside its bounds';
  END IF;
  IF EXISTS (SELECT FROM daily_log JOIN exact_hosts USING (day), hll_info(hosts) i
             WHERE abs(hll_count(hosts) - exact) > 3 * i.standard_error * exact) THEN
    RAISE 'an estimate is off by more than three standard errors';
  END IF;
END $$;
