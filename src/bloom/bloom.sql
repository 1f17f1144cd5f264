-- bloom: definitely not there, or maybe (Bloom filter)

--use type bloom
COMMENT ON TYPE bloom IS 'Bloom filter: a value is certainly not in it, or probably is';

-- Before building anything

CREATE FUNCTION bloom_sizing(capacity bigint, false_positive_rate double precision,
	OUT bits bigint, OUT bytes bigint, OUT hashes integer, OUT bits_per_value double precision)
	AS 'MODULE_PATHNAME', 'bloom_sizing' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_sizing(bigint, double precision) IS
	'size of a filter for so many distinct values at this false positive rate';

-- Building and changing

CREATE FUNCTION bloom_empty(capacity bigint, false_positive_rate double precision, seed bigint DEFAULT 0) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_empty(bigint, double precision, bigint) IS
	'a filter without values, for a capacity of distinct values and a false positive rate in (0, 1)';

--{ SCALAR
CREATE FUNCTION bloom_add(filter bloom, value @T@) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bloom_add(bloom, @T@) IS
	'the filter with one value more; itself when the value changes no bit';
--}

CREATE FUNCTION bloom_union(a bloom, b bloom) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_union(bloom, bloom) IS
	'the filter with the values of both, which have equal parameters';

-- Asking

--{ SCALAR
CREATE FUNCTION bloom_contains(filter bloom, value @T@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'bloom_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_contains(bloom, @T@) IS
	'false: the value is certainly not in the filter; true: it probably is';
--}

CREATE FUNCTION bloom_count(filter bloom) RETURNS bigint
	AS 'MODULE_PATHNAME', 'bloom_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_count(bloom) IS
	'estimated number of distinct values';

CREATE FUNCTION bloom_info(filter bloom,
	OUT capacity bigint, OUT target_rate double precision, OUT expected_rate double precision,
	OUT items bigint, OUT bits bigint, OUT bits_set bigint, OUT fill_ratio double precision,
	OUT hashes integer, OUT layers integer, OUT bytes bigint, OUT scalable boolean,
	OUT saturated boolean, OUT value_type text, OUT seed bigint)
	AS 'MODULE_PATHNAME', 'bloom_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_info(bloom) IS
	'parameters, false positive rate as the bits stand, items, size, kind of values';

-- Aggregates. The state is the filter itself, changed in place.

CREATE FUNCTION bloom_union_step(state bloom, filter bloom) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bloom_union_step(bloom, bloom) IS 'aggregate transition and combine function';
CREATE FUNCTION bloom_agg_final(state bloom) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_final(bloom) IS 'aggregate final function';
CREATE FUNCTION bloom_union_final(state bloom) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_union_final(bloom) IS 'aggregate final function';

CREATE AGGREGATE bloom_union(filter bloom) (
	SFUNC = bloom_union_step, STYPE = bloom, SSPACE = 4096,
	FINALFUNC = bloom_union_final, COMBINEFUNC = bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_union(bloom) IS
	'the filter with the values of all; NULL over no filters';

-- Without a capacity the state collects hashes, until the number of distinct values is
-- known.
--{ AGGREGATE
CREATE FUNCTION bloom_agg_step(state bloom, value @T@) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_sized_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_step(bloom, @T@) IS 'aggregate transition function';
CREATE AGGREGATE bloom_agg(value @T@) (
	SFUNC = bloom_agg_step, STYPE = bloom, SSPACE = 4096,
	FINALFUNC = bloom_agg_final, COMBINEFUNC = bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(@T@) IS
	'filter of the values that sizes itself for them, with a false positive rate of 0.01, and grows';

CREATE FUNCTION bloom_agg_step(state bloom, value @T@, false_positive_rate double precision) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_sized_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_step(bloom, @T@, double precision) IS 'aggregate transition function';
CREATE AGGREGATE bloom_agg(value @T@, false_positive_rate double precision) (
	SFUNC = bloom_agg_step, STYPE = bloom, SSPACE = 4096,
	FINALFUNC = bloom_agg_final, COMBINEFUNC = bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(@T@, double precision) IS
	'filter of the values that sizes itself for them, with a false positive rate in (0, 1), and grows';

CREATE FUNCTION bloom_agg_step(state bloom, value @T@, capacity bigint, false_positive_rate double precision) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_step(bloom, @T@, bigint, double precision) IS 'aggregate transition function';
CREATE AGGREGATE bloom_agg(value @T@, capacity bigint, false_positive_rate double precision) (
	SFUNC = bloom_agg_step, STYPE = bloom, SSPACE = 4096,
	FINALFUNC = bloom_agg_final, COMBINEFUNC = bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(@T@, bigint, double precision) IS
	'filter of the values, for a capacity of distinct values and a false positive rate in (0, 1)';
--}

--{ SCALAR
CREATE FUNCTION bloom_agg_step(state bloom, value @T@, capacity bigint, false_positive_rate double precision, seed bigint) RETURNS bloom
	AS 'MODULE_PATHNAME', 'bloom_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_step(bloom, @T@, bigint, double precision, bigint) IS 'aggregate transition function';
CREATE AGGREGATE bloom_agg(value @T@, capacity bigint, false_positive_rate double precision, seed bigint) (
	SFUNC = bloom_agg_step, STYPE = bloom, SSPACE = 4096,
	FINALFUNC = bloom_agg_final, COMBINEFUNC = bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(@T@, bigint, double precision, bigint) IS
	'filter of the values, with a capacity, a false positive rate and a seed for the hash';
--}

-- Operators

CREATE OPERATOR || (LEFTARG = bloom, RIGHTARG = bloom, FUNCTION = bloom_union, COMMUTATOR = ||);
COMMENT ON OPERATOR || (bloom, bloom) IS 'union of two filters';

--use comparisons bloom
--use casts bloom
