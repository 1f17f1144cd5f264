-- counting_bloom: a Bloom filter that can forget values again

--use type counting_bloom
COMMENT ON TYPE counting_bloom IS 'Bloom filter that counts copies, so that values can be removed again';

-- Before building anything

CREATE FUNCTION counting_bloom_sizing(capacity bigint, false_positive_rate double precision,
	OUT counters bigint, OUT bytes bigint, OUT hashes integer, OUT bits_per_value double precision)
	AS 'MODULE_PATHNAME', 'counting_bloom_sizing' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_sizing(bigint, double precision) IS
	'about the size of a filter that holds so many distinct values at this false positive rate';

-- Building and changing

CREATE FUNCTION counting_bloom_empty(capacity bigint, false_positive_rate double precision, seed bigint DEFAULT 0) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_empty(bigint, double precision, bigint) IS
	'a filter without values, for a capacity of distinct values and a false positive rate in (0, 1)';

--{ SCALAR
CREATE FUNCTION counting_bloom_add(filter counting_bloom, value @T@) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_add(counting_bloom, @T@) IS
	'the filter with one copy of a value more';

CREATE FUNCTION counting_bloom_remove(filter counting_bloom, value @T@) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_remove(counting_bloom, @T@) IS
	'the filter with one copy of a value less, which must have been added; an error if the value is certainly not there';

CREATE FUNCTION counting_bloom_try_remove(INOUT filter counting_bloom, value @T@, OUT removed boolean)
	AS 'MODULE_PATHNAME', 'counting_bloom_try_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_try_remove(counting_bloom, @T@) IS
	'the filter with one copy of a value less, and true; or itself and false if the value is certainly not there';
--}

CREATE FUNCTION counting_bloom_union(a counting_bloom, b counting_bloom) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_union(counting_bloom, counting_bloom) IS
	'the filter with all copies of both, which have equal parameters';

-- Asking

--{ SCALAR
CREATE FUNCTION counting_bloom_contains(filter counting_bloom, value @T@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'counting_bloom_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_contains(counting_bloom, @T@) IS
	'false: the value is certainly not in the filter; true: it probably is';

CREATE FUNCTION counting_bloom_count(filter counting_bloom, value @T@) RETURNS bigint
	AS 'MODULE_PATHNAME', 'counting_bloom_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_count(counting_bloom, @T@) IS
	'copies of the value: no fewer than were added and not removed, perhaps more; 15 means 15 or more';
--}

CREATE FUNCTION counting_bloom_info(filter counting_bloom,
	OUT capacity bigint, OUT target_rate double precision, OUT expected_rate double precision,
	OUT items bigint, OUT counters bigint, OUT counters_set bigint, OUT counters_stuck bigint,
	OUT fill_ratio double precision, OUT hashes integer, OUT bytes bigint,
	OUT saturated boolean, OUT value_type text, OUT seed bigint)
	AS 'MODULE_PATHNAME', 'counting_bloom_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_info(counting_bloom) IS
	'parameters, false positive rate as it stands, distinct items, counters that are set and stuck, size, kind of values';

-- Aggregates. The state is the filter itself, changed in place.

CREATE FUNCTION counting_bloom_union_step(state counting_bloom, filter counting_bloom) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_union_step(counting_bloom, counting_bloom) IS 'aggregate transition and combine function';
CREATE FUNCTION counting_bloom_agg_final(state counting_bloom) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_final(counting_bloom) IS 'aggregate final function';
CREATE FUNCTION counting_bloom_union_final(state counting_bloom) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_union_final(counting_bloom) IS 'aggregate final function';

CREATE AGGREGATE counting_bloom_union(filter counting_bloom) (
	SFUNC = counting_bloom_union_step, STYPE = counting_bloom, SSPACE = 16384,
	FINALFUNC = counting_bloom_union_final, COMBINEFUNC = counting_bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_union(counting_bloom) IS
	'the filter with all copies of all; NULL over no filters';

-- One number behind the value is what people forget the other of: these forms
-- exist to say so.
--{ AGGREGATE
CREATE FUNCTION counting_bloom_agg_step(state counting_bloom, value @T@, false_positive_rate double precision) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_agg_incomplete' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_step(counting_bloom, @T@, double precision) IS 'raises an error that names the form to use';
CREATE AGGREGATE counting_bloom_agg(value @T@, false_positive_rate double precision) (
	SFUNC = counting_bloom_agg_step, STYPE = counting_bloom,
	FINALFUNC = counting_bloom_agg_final, COMBINEFUNC = counting_bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(@T@, double precision) IS
	'raises an error: a filter needs a capacity and a false positive rate';

CREATE FUNCTION counting_bloom_agg_step(state counting_bloom, value @T@, capacity bigint, false_positive_rate double precision) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_step(counting_bloom, @T@, bigint, double precision) IS 'aggregate transition function';
CREATE AGGREGATE counting_bloom_agg(value @T@, capacity bigint, false_positive_rate double precision) (
	SFUNC = counting_bloom_agg_step, STYPE = counting_bloom, SSPACE = 16384,
	FINALFUNC = counting_bloom_agg_final, COMBINEFUNC = counting_bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(@T@, bigint, double precision) IS
	'filter of the values, a copy for each row, for a capacity of distinct values and a false positive rate in (0, 1)';
--}

--{ SCALAR
CREATE FUNCTION counting_bloom_agg_step(state counting_bloom, value @T@, capacity bigint, false_positive_rate double precision, seed bigint) RETURNS counting_bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_step(counting_bloom, @T@, bigint, double precision, bigint) IS 'aggregate transition function';
CREATE AGGREGATE counting_bloom_agg(value @T@, capacity bigint, false_positive_rate double precision, seed bigint) (
	SFUNC = counting_bloom_agg_step, STYPE = counting_bloom, SSPACE = 16384,
	FINALFUNC = counting_bloom_agg_final, COMBINEFUNC = counting_bloom_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(@T@, bigint, double precision, bigint) IS
	'filter of the values, a copy for each row, with a capacity, a false positive rate and a seed for the hash';
--}

-- Operators and casts

CREATE OPERATOR || (LEFTARG = counting_bloom, RIGHTARG = counting_bloom, FUNCTION = counting_bloom_union, COMMUTATOR = ||);
COMMENT ON OPERATOR || (counting_bloom, counting_bloom) IS 'union of two filters';

CREATE FUNCTION counting_bloom_to_bloom(filter counting_bloom) RETURNS bloom
	AS 'MODULE_PATHNAME', 'counting_bloom_to_bloom' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_to_bloom(counting_bloom) IS
	'the Bloom filter of the values that are there';
CREATE CAST (counting_bloom AS bloom) WITH FUNCTION counting_bloom_to_bloom(counting_bloom);

--use comparisons counting_bloom
--use casts counting_bloom
