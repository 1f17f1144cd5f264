-- The second part of what demo.sh shows: the check of an e-mail address, with a
-- filter and with an index. As in demo.sql, the statements that are printed can be
-- copied.

\ir demo_begin.sql

\echo
\echo
\echo 'Is this e-mail address taken? 1,000,000 users; a filter says "certainly not" or'
\echo '"maybe", and only "maybe" asks the table.'

\echo
\echo '-- generating 1,000,000 users, with a unique index ...'
:start \gset
\set ECHO queries
CREATE TABLE users AS
SELECT 'user' || n || '@example.com' AS email FROM generate_series(1, 1000000) n;
ALTER TABLE users ADD PRIMARY KEY (email);
\set ECHO none
VACUUM ANALYZE users;
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- a filter of all addresses, false positive rate 1 %, stored ...'
:start \gset
\set ECHO queries
CREATE TABLE filters AS
SELECT bloom_agg(email, 1000000, 0.01) AS filter FROM users;
\set ECHO none
VACUUM ANALYZE filters;
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- every user must be "maybe"; of 1,000,000 other addresses about 1 in 100 is ...'
:start \gset
\set ECHO queries
SELECT count(*) AS denied FROM users
WHERE NOT bloom_contains((SELECT filter FROM filters), email);
SELECT count(*) AS maybe FROM generate_series(1, 1000000) n
WHERE bloom_contains((SELECT filter FROM filters), 'new' || n || '@example.com');
\set ECHO none
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- comparing, each at its best of 3 runs ...'
:start \gset

CREATE FUNCTION pg_temp.measure_check(query text, OUT result bigint, OUT ms numeric)
LANGUAGE plpgsql AS $$
DECLARE
  began timestamptz;
BEGIN
  FOR run IN 1..3 LOOP
    began := clock_timestamp();
    EXECUTE query INTO result;
    ms := least(ms, 1000 * extract(epoch FROM clock_timestamp() - began));
  END LOOP;
END $$;

-- 20,000 transactions of one look-up each, as an application sends them, but without
-- the way from client to server. In one transaction they would share a filter that was
-- read whole.
CREATE PROCEDURE pg_temp.ask_singly(by_filter boolean, INOUT result bigint, INOUT ms numeric)
LANGUAGE plpgsql AS $$
DECLARE
  address text;
  began timestamptz;
BEGIN
  FOR run IN 1..3 LOOP
    began := clock_timestamp();
    result := 0;
    FOR i IN 1..20000 LOOP
      address := 'new' || i || '@example.com';
      IF by_filter THEN
        IF bloom_contains((SELECT filter FROM filters), address) THEN result := result + 1; END IF;
      ELSE
        IF EXISTS (SELECT FROM users WHERE email = address) THEN result := result + 1; END IF;
      END IF;
      COMMIT;
    END LOOP;
    ms := least(ms, 1000 * extract(epoch FROM clock_timestamp() - began));
  END LOOP;
END $$;
CALL pg_temp.ask_singly(false, NULL, NULL) \gset index_
CALL pg_temp.ask_singly(true, NULL, NULL) \gset filter_

CREATE TEMP TABLE checks AS
SELECT 1 AS nr, 'one statement, 1,000,000 look-ups, index' AS label, m.*
FROM pg_temp.measure_check($$
  SELECT count(*) FROM generate_series(1, 1000000) n
  WHERE EXISTS (SELECT FROM users WHERE email = 'new' || n || '@example.com' OFFSET 0)$$) m
UNION ALL
SELECT 2, 'the same, filter', m.*
FROM pg_temp.measure_check($$
  SELECT count(*) FROM generate_series(1, 1000000) n
  WHERE bloom_contains((SELECT filter FROM filters), 'new' || n || '@example.com')$$) m
UNION ALL
SELECT 3, '20,000 transactions, one look-up each, index', :index_result, :index_ms
UNION ALL
SELECT 4, 'the same, filter', :filter_result, :filter_ms;

:stop \gset
\echo '--' :took 's'

\echo
\echo '                                                 found   milliseconds   us a look-up'
\pset tuples_only on
\pset format unaligned
SELECT rpad(label, 45) || to_char(result, '9G999G999') || to_char(ms, '9G999G990.0')
    || to_char(1000 * ms / CASE WHEN nr < 3 THEN 1000000 ELSE 20000 END, '9G999G990.00')
FROM checks ORDER BY nr;

SELECT format(E'\nBytes: filter %s, index %s, table %s. The filter holds %s values at an\n'
              'expected rate of %s %%. What it finds beyond 0 is "maybe", wrongly.',
              trim(to_char(pg_column_size(filter), '999G999G999')),
              trim(to_char(pg_relation_size('users_pkey'), '999G999G999')),
              trim(to_char(pg_relation_size('users'), '999G999G999')),
              trim(to_char(items, '999G999G999')), round(100 * expected_rate::numeric, 2))
FROM filters, bloom_info(filter);
SELECT E'\nWhere it does not pay: in front of one index that is in memory, look-ups that come\n'
       'one in a transaction. Both ways take microseconds then, and "maybe" takes both. It pays\n'
       'for many look-ups in a transaction, and in front of what is dear: another server, an\n'
       'index for each of many partitions, a table on disk. See docs/COOKBOOK.md.';

DO $$
BEGIN
  IF EXISTS (SELECT FROM users WHERE NOT bloom_contains((SELECT filter FROM filters), email)) THEN
    RAISE 'the filter denies a user';
  END IF;
  IF (SELECT result FROM checks WHERE nr = 2) NOT BETWEEN 9000 AND 10400 THEN
    RAISE 'the false positive rate is not 1 %%';
  END IF;
END $$;
