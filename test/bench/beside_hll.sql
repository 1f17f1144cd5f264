-- What beside_hll.sh runs: sketches of this extension and of postgresql-hll over the
-- same values, and a table of their errors and sizes. `runs` of each number of
-- values, each over whole numbers of its own.
\set QUIET on
-- The newest: its control file names an older one.
SELECT format('CREATE EXTENSION hll VERSION %L', version) FROM pg_available_extension_versions WHERE name = 'hll'
ORDER BY string_to_array(version, '.')::int[] DESC LIMIT 1 \gexec
CREATE SCHEMA sketch;
CREATE EXTENSION bloomsketch SCHEMA sketch;
SET jit = off;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE pairs (n bigint, run int, ours sketch.hll, theirs public.hll);
-- A width of 5 bits is postgresql-hll's default; with 6 its answers are NaN.
CREATE PROCEDURE build(n bigint, runs int) LANGUAGE plpgsql AS $$
BEGIN
  FOR run IN 1..runs LOOP
    INSERT INTO pairs
    SELECT n, run, sketch.hll_agg(v, 14), hll_add_agg(hll_hash_bigint(v), 14, 5)
    FROM (SELECT generate_series(run * 1000000000::bigint + 1, run * 1000000000::bigint + n) AS v) AS vs;
    COMMIT;
  END LOOP;
END $$;
SELECT format('CALL build(%s, %s)', n, :runs) FROM unnest(ARRAY[100, 1000, 10000, 100000, 1000000, 10000000]) AS n \gexec

\pset tuples_only on
\pset format unaligned
SELECT '| values | bloomsketch: RMSE | bytes | postgresql-hll ' || extversion || ': RMSE | bytes |' || E'\n|---:|---:|---:|---:|---:|'
FROM pg_extension WHERE extname = 'hll';
SELECT format('| %s | %s %% | %s | %s %% | %s |', to_char(n, 'FM99,999,999'),
              to_char(100 * sqrt(avg((sketch.hll_count(ours) / n::float8 - 1) ^ 2)), 'FM990.000'),
              to_char(avg(pg_column_size(ours)), 'FM99,999'),
              to_char(100 * sqrt(avg((hll_cardinality(theirs) / n - 1) ^ 2)), 'FM990.000'),
              to_char(avg(pg_column_size(theirs)), 'FM99,999'))
FROM pairs GROUP BY n ORDER BY n;
SELECT format(E'\n%s runs each, over different whole numbers; 2^14 registers. RMSE of the relative error, itself uncertain by %s %% of it; '
              'bytes are the mean of `pg_column_size` in a table.', :runs, round(100 / sqrt(2 * :runs)));
