-- The third part of what demo.sh shows: how often each book was viewed, counted and
-- from a sketch. As in demo.sql, the statements that are printed can be copied.

\ir demo_begin.sql

\echo
\echo
\echo 'How often was this book viewed? 2,000,000 views of 100,000 books, of which the book'
\echo 'of rank r has 1/r as many as the first.'

\echo
\echo '-- generating the views ...'
:start \gset
\set ECHO queries
CREATE TABLE views AS
SELECT book FROM generate_series(1, 100000) book, generate_series(1, 170000 / book);
\set ECHO none
VACUUM ANALYZE views;
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- one sketch of them, stored ...'
:start \gset
\set ECHO queries
CREATE TABLE view_counts AS
SELECT cms_agg(book) AS counts FROM views;
\set ECHO none
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- exactly, from all views, for comparison ...'
:start \gset
\set ECHO queries
CREATE TABLE exact AS
SELECT book, count(*) AS views FROM views GROUP BY book;
\set ECHO none
:stop \gset
\echo '--' :took 's'

\echo
\echo '-- the 10 most viewed, and some of those that hardly anybody views ...'
\set ECHO queries
SELECT book, views AS exact, cms_count(counts, book) AS estimate
FROM exact, view_counts
WHERE book <= 10 OR book % 25000 = 0 ORDER BY book;
\set ECHO none

\pset tuples_only on
\pset format unaligned
CREATE TEMP TABLE over AS
SELECT cms_count((SELECT counts FROM view_counts), book) - views AS n FROM exact;

SELECT format(E'\nThe estimate was never too low, and too high by %s on the average, %s at most: the bound\n'
              'is %s, 0.1 %% of all views, for 99 of 100 books. Bytes: sketch %s, views %s.\n'
              'Trust it where it is large against the bound; of a rare book it says only that it is rare.',
              round(avg(n)), max(n), trim(to_char(max(i.error_bound), '9G999')), trim(to_char(max(i.bytes), '999G999')),
              trim(to_char(pg_relation_size('views'), '999G999G999')))
FROM over, view_counts, cms_info(counts) i;

DO $$
BEGIN
  IF EXISTS (SELECT FROM over WHERE n < 0) THEN
    RAISE 'an estimate is below the truth';
  END IF;
  IF (SELECT avg((n > error_bound)::int) FROM over, view_counts, cms_info(counts)) > 0.01 THEN
    RAISE 'more than 1 %% of the estimates are beyond the bound';
  END IF;
END $$;
