-- What demo.sh shows. The statements between ECHO queries and ECHO none are printed
-- and can be copied into a session of your own; the rest is stopwatch and table.

\ir demo_begin.sql

\echo
\echo 'How many different people came? Two days of 1,500,000 visits each; about a third'
\echo 'of the visitors came on both days.'

\echo
\echo '-- generating 3,000,000 visits ...'
:start \gset
\set ECHO queries
CREATE TABLE visits AS
SELECT date '2025-01-01' + d AS day,
       d * 200000 + abs(hashint8extended(n, d) % 400000) AS visitor
FROM generate_series(0, 1) d, generate_series(1, 1500000) n;
\set ECHO none
-- What autovacuum would do in time, so that no query is timed with that work.
VACUUM ANALYZE visits;
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- one row a day: how many visits, and a sketch of who came ...'
:start \gset
\set ECHO queries
CREATE EXTENSION bloomsketch;
CREATE TABLE daily (day date PRIMARY KEY, visits bigint, visitors hll);
INSERT INTO daily
SELECT day, count(*), hll_agg(visitor) FROM visits GROUP BY day;
\set ECHO none
VACUUM ANALYZE daily;
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- people on both days, each counted once: exactly, from all visits ...'
:start \gset
\set ECHO queries
SELECT count(DISTINCT visitor) FROM visits;
\set ECHO none
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- ... and from the two sketches'
:start \gset
\set ECHO queries
SELECT hll_count(hll_union(visitors)) FROM daily;
\set ECHO none
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- comparing, each query at its best of 3 runs ...'
:start \gset

CREATE FUNCTION pg_temp.measure(query text, OUT result bigint, OUT ms numeric)
LANGUAGE plpgsql AS $$
DECLARE
  began timestamptz;
  took numeric;
BEGIN
  FOR run IN 1..3 LOOP
    began := clock_timestamp();
    EXECUTE query INTO result;
    took := 1000 * extract(epoch FROM clock_timestamp() - began);
    ms := least(ms, took);
  END LOOP;
END $$;

CREATE TEMP TABLE comparison AS
SELECT label, exact.result AS exact, sketch.result AS estimate,
       100.0 * (sketch.result - exact.result) / exact.result AS error,
       -- the rows of all visits are equally long
       pg_table_size('visits') * d.visits / (SELECT sum(visits) FROM daily) AS raw_bytes,
       d.bytes AS sketch_bytes,
       exact.ms AS exact_ms, sketch.ms AS sketch_ms
FROM (SELECT 'day ' || rank() OVER (ORDER BY day) AS label, format('WHERE day = %L', day) AS condition,
             visits, pg_column_size(visitors) AS bytes
      FROM daily
      UNION ALL
      SELECT 'both days', '', sum(visits), sum(pg_column_size(visitors)) FROM daily) d,
     pg_temp.measure('SELECT count(DISTINCT visitor) FROM visits ' || condition) exact,
     pg_temp.measure('SELECT hll_count(hll_union(visitors)) FROM daily ' || condition) sketch;

:stop \gset
\echo '--' :took 's'

\echo
\echo '             distinct visitors             bytes          milliseconds'
\echo '            exact  sketch    error       visits  sketch   exact  sketch   ratio'
\pset tuples_only on
\pset format unaligned
SELECT rpad(label, 10)
    || to_char(exact, '999G999') || to_char(estimate, '999G999')
    || to_char(error, 'S90.99') || ' %'
    || to_char(raw_bytes, '999G999G999') || to_char(sketch_bytes, '999G999')
    || to_char(exact_ms, '99990.9') || to_char(sketch_ms, '9990.99')
    || to_char(exact_ms / sketch_ms, '999G999') || 'x'
FROM comparison ORDER BY label = 'both days', label;

SELECT format(E'\nThe error to expect is %s %% (one standard error, precision %s). Times are the\n'
              'best of 3, without disk; the exact count may sort in %s of memory.',
              round(100 * standard_error::numeric, 2), "precision", current_setting('work_mem'))
FROM daily, hll_info(visitors) LIMIT 1;

-- The visits are the same everywhere, so this holds everywhere or nowhere.
DO $$
BEGIN
  IF EXISTS (SELECT FROM comparison, daily, hll_info(visitors) i
             WHERE abs(error) > 100 * 3 * i.standard_error) THEN
    RAISE 'an estimate is off by more than three standard errors';
  END IF;
END $$;
