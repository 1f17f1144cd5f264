-- How each part of the demo begins: with :start and :stop as its stopwatch.

\set QUIET on
\pset footer off
\pset tuples_only off
\pset format aligned
\set start 'SELECT clock_timestamp() AS started'
\set stop 'SELECT round(extract(epoch FROM clock_timestamp() - :''started'')::numeric, 1) AS took'
