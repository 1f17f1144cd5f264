-- hll: how many distinct values (HyperLogLog)

--use type hll
COMMENT ON TYPE hll IS 'HyperLogLog sketch: how many distinct values were added';

-- Building and changing

CREATE FUNCTION hll_empty() RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_empty() IS
	'a sketch over no values, without parameters yet: it unites with any';
CREATE FUNCTION hll_empty("precision" integer, seed bigint DEFAULT 0) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_empty(integer, bigint) IS
	'a sketch over no values, with precision 4..18 and a seed';

--{ SCALAR
CREATE FUNCTION hll_add(sketch hll, value @T@) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_add(hll, @T@) IS
	'the sketch with one value more; itself when the value changes no register';
--}

CREATE FUNCTION hll_union(a hll, b hll) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_union(hll, hll) IS
	'the sketch over the values of both';

CREATE FUNCTION hll_reduce(sketch hll, "precision" integer) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_reduce' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_reduce(hll, integer) IS
	'the sketch as it would be, had it been built at this lower precision';

-- Asking

CREATE FUNCTION hll_count(sketch hll) RETURNS bigint
	AS 'MODULE_PATHNAME', 'hll_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_count(hll) IS
	'estimated number of distinct values';

CREATE FUNCTION hll_bounds(sketch hll, confidence double precision DEFAULT 0.95,
	OUT lower bigint, OUT estimate bigint, OUT upper bigint)
	AS 'MODULE_PATHNAME', 'hll_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_bounds(hll, double precision) IS
	'estimated number of distinct values, and between which it lies with a confidence in (0, 1)';

CREATE FUNCTION hll_overlap(a hll, b hll,
	OUT only_a bigint, OUT only_b bigint, OUT "both" bigint, OUT total bigint, OUT jaccard double precision)
	AS 'MODULE_PATHNAME', 'hll_overlap' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_overlap(hll, hll) IS
	'how many values two sketches have in common, and each alone';

CREATE FUNCTION hll_info(sketch hll,
	OUT "precision" integer, OUT standard_error double precision,
	OUT representation text, OUT registers_used integer, OUT bytes integer,
	OUT value_type text, OUT seed bigint)
	AS 'MODULE_PATHNAME', 'hll_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_info(hll) IS
	'parameters, standard error, form, registers in use, size, kind of values';

-- Aggregates. The state is a sketch in a working form, changed in place. SSPACE
-- keeps work_mem honest for groups that become dense.

CREATE FUNCTION hll_union_step(state hll, sketch hll) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_union_step(hll, hll) IS 'aggregate transition and combine function';
CREATE FUNCTION hll_agg_final(state hll) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_agg_final(hll) IS 'aggregate final function';
CREATE FUNCTION hll_union_final(state hll) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_union_final(hll) IS 'aggregate final function';
CREATE FUNCTION hll_count_final(state hll) RETURNS bigint
	AS 'MODULE_PATHNAME', 'hll_count' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_count_final(hll) IS 'aggregate final function';

-- Window frames that move: each sketch is united twice, whatever the frame's length.

CREATE FUNCTION hll_frame_step(frame internal, sketch hll) RETURNS internal
	AS 'MODULE_PATHNAME', 'hll_frame_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_frame_step(internal, hll) IS 'moving-aggregate transition function';
CREATE FUNCTION hll_frame_inverse(frame internal, sketch hll) RETURNS internal
	AS 'MODULE_PATHNAME', 'hll_frame_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_frame_inverse(internal, hll) IS 'moving-aggregate inverse transition function';
CREATE FUNCTION hll_frame_final(frame internal) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_frame_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_frame_final(internal) IS 'moving-aggregate final function';

CREATE AGGREGATE hll_union(sketch hll) (
	SFUNC = hll_union_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_union_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE,
	MSFUNC = hll_frame_step, MINVFUNC = hll_frame_inverse, MSTYPE = internal,
	MFINALFUNC = hll_frame_final
);
COMMENT ON AGGREGATE hll_union(hll) IS
	'the sketch over the values of all; NULL over no sketches';

--{ AGGREGATE
CREATE FUNCTION hll_agg_step(state hll, value @T@) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_agg_step(hll, @T@) IS 'aggregate transition function';
CREATE FUNCTION hll_agg_step(state hll, value @T@, "precision" integer) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_agg_step(hll, @T@, integer) IS 'aggregate transition function';

CREATE AGGREGATE hll_agg(value @T@) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_agg_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(@T@) IS
	'sketch over the values, with precision 14';
CREATE AGGREGATE hll_agg(value @T@, "precision" integer) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_agg_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(@T@, integer) IS
	'sketch over the values, with precision 4..18';

CREATE AGGREGATE approx_count_distinct(value @T@) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_count_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE approx_count_distinct(@T@) IS
	'estimated number of distinct values, by a HyperLogLog sketch of precision 14';
CREATE AGGREGATE approx_count_distinct(value @T@, "precision" integer) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_count_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE approx_count_distinct(@T@, integer) IS
	'estimated number of distinct values, by a HyperLogLog sketch of precision 4..18';
--}

--{ SCALAR
CREATE FUNCTION hll_agg_step(state hll, value @T@, "precision" integer, seed bigint) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_agg_step(hll, @T@, integer, bigint) IS 'aggregate transition function';
CREATE AGGREGATE hll_agg(value @T@, "precision" integer, seed bigint) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_agg_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(@T@, integer, bigint) IS
	'sketch over the values, with precision 4..18 and a seed for the hash';
--}

-- Operators

CREATE OPERATOR || (LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_union, COMMUTATOR = ||);
COMMENT ON OPERATOR || (hll, hll) IS 'union of two sketches';
CREATE OPERATOR # (RIGHTARG = hll, FUNCTION = hll_count);
COMMENT ON OPERATOR # (NONE, hll) IS 'estimated number of distinct values';

--use comparisons hll
--use casts hll
