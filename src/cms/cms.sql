-- cms: how often (Count-Min sketch)

--use type cms
COMMENT ON TYPE cms IS 'Count-Min sketch: how often each value was added, never under the truth';

-- Building and changing

CREATE FUNCTION cms_empty() RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cms_empty() IS
	'a sketch over no values, without parameters yet: it unites with any';
CREATE FUNCTION cms_empty(epsilon double precision, delta double precision, seed bigint DEFAULT 0) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cms_empty(double precision, double precision, bigint) IS
	'a sketch over no values, with an epsilon and a delta in (0, 1) and a seed';

--{ SCALAR
CREATE FUNCTION cms_add(sketch cms, value @T@) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_add(cms, @T@) IS
	'the sketch with one occurrence of a value more';
CREATE FUNCTION cms_add(sketch cms, value @T@, weight bigint) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_add(cms, @T@, bigint) IS
	'the sketch with a value of this weight, 0 or more, added';
--}

CREATE FUNCTION cms_union(a cms, b cms) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cms_union(cms, cms) IS
	'the sketch with the values of both, which have equal parameters';

-- Asking

--{ SCALAR
CREATE FUNCTION cms_count(sketch cms, value @T@) RETURNS bigint
	AS 'MODULE_PATHNAME', 'cms_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cms_count(cms, @T@) IS
	'estimated sum of the weights of a value, never under the truth';
--}

CREATE FUNCTION cms_total(sketch cms) RETURNS bigint
	AS 'MODULE_PATHNAME', 'cms_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cms_total(cms) IS
	'sum of all weights, exact';

CREATE FUNCTION cms_inner_product(a cms, b cms) RETURNS bigint
	AS 'MODULE_PATHNAME', 'cms_inner_product' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cms_inner_product(cms, cms) IS
	'estimated size of the equi-join of what two sketches were built over, never under the truth';

CREATE FUNCTION cms_info(sketch cms,
	OUT width integer, OUT depth integer, OUT epsilon double precision, OUT delta double precision,
	OUT total bigint, OUT error_bound bigint, OUT bytes bigint, OUT value_type text, OUT seed bigint)
	AS 'MODULE_PATHNAME', 'cms_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cms_info(cms) IS
	'parameters, total, error bound epsilon * total, size, kind of values';

-- Aggregates. The state is a sketch in a working form, changed in place. SSPACE
-- keeps work_mem honest for groups that become dense.

CREATE FUNCTION cms_union_step(state cms, sketch cms) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_union_step(cms, cms) IS 'aggregate transition and combine function';
CREATE FUNCTION cms_agg_final(state cms) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_agg_final(cms) IS 'aggregate final function';
CREATE FUNCTION cms_union_final(state cms) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cms_union_final(cms) IS 'aggregate final function';

-- Window frames that move: what leaves the frame is taken away again.

CREATE FUNCTION cms_frame_step(frame internal, sketch cms) RETURNS internal
	AS 'MODULE_PATHNAME', 'cms_frame_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_frame_step(internal, cms) IS 'moving-aggregate transition function';
CREATE FUNCTION cms_frame_inverse(frame internal, sketch cms) RETURNS internal
	AS 'MODULE_PATHNAME', 'cms_frame_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_frame_inverse(internal, cms) IS 'moving-aggregate inverse transition function';
CREATE FUNCTION cms_frame_final(frame internal) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_frame_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_frame_final(internal) IS 'moving-aggregate final function';

CREATE AGGREGATE cms_union(sketch cms) (
	SFUNC = cms_union_step, STYPE = cms, SSPACE = 16384,
	FINALFUNC = cms_union_final, COMBINEFUNC = cms_union_step, PARALLEL = SAFE,
	MSFUNC = cms_frame_step, MINVFUNC = cms_frame_inverse, MSTYPE = internal,
	MFINALFUNC = cms_frame_final
);
COMMENT ON AGGREGATE cms_union(cms) IS
	'the sketch with the values of all; NULL over no sketches';

--{ AGGREGATE
CREATE FUNCTION cms_agg_step(state cms, value @T@) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_agg_step(cms, @T@) IS 'aggregate transition function';
CREATE FUNCTION cms_agg_step(state cms, value @T@, weight bigint) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_agg_step(cms, @T@, bigint) IS 'aggregate transition function';
CREATE FUNCTION cms_agg_step(state cms, value @T@, epsilon double precision, delta double precision) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_agg_step(cms, @T@, double precision, double precision) IS 'aggregate transition function';
CREATE FUNCTION cms_agg_step(state cms, value @T@, weight bigint, epsilon double precision, delta double precision) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_agg_step(cms, @T@, bigint, double precision, double precision) IS 'aggregate transition function';
CREATE AGGREGATE cms_agg(value @T@) (
	SFUNC = cms_agg_step, STYPE = cms, SSPACE = 16384,
	FINALFUNC = cms_agg_final, COMBINEFUNC = cms_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(@T@) IS
	'sketch of the values, each counted once: epsilon 0.001, delta 0.01';
CREATE AGGREGATE cms_agg(value @T@, weight bigint) (
	SFUNC = cms_agg_step, STYPE = cms, SSPACE = 16384,
	FINALFUNC = cms_agg_final, COMBINEFUNC = cms_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(@T@, bigint) IS
	'sketch of the values and their weights: epsilon 0.001, delta 0.01';
CREATE AGGREGATE cms_agg(value @T@, epsilon double precision, delta double precision) (
	SFUNC = cms_agg_step, STYPE = cms, SSPACE = 16384,
	FINALFUNC = cms_agg_final, COMBINEFUNC = cms_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(@T@, double precision, double precision) IS
	'sketch of the values, with an epsilon and a delta in (0, 1)';
CREATE AGGREGATE cms_agg(value @T@, weight bigint, epsilon double precision, delta double precision) (
	SFUNC = cms_agg_step, STYPE = cms, SSPACE = 16384,
	FINALFUNC = cms_agg_final, COMBINEFUNC = cms_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(@T@, bigint, double precision, double precision) IS
	'sketch of the values and their weights, with an epsilon and a delta in (0, 1)';
--}

--{ SCALAR
CREATE FUNCTION cms_agg_step(state cms, value @T@, weight bigint, epsilon double precision, delta double precision, seed bigint) RETURNS cms
	AS 'MODULE_PATHNAME', 'cms_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cms_agg_step(cms, @T@, bigint, double precision, double precision, bigint) IS 'aggregate transition function';
CREATE AGGREGATE cms_agg(value @T@, weight bigint, epsilon double precision, delta double precision, seed bigint) (
	SFUNC = cms_agg_step, STYPE = cms, SSPACE = 16384,
	FINALFUNC = cms_agg_final, COMBINEFUNC = cms_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(@T@, bigint, double precision, double precision, bigint) IS
	'sketch of the values and their weights, with a seed for the hash';
--}

-- Operators

CREATE OPERATOR || (LEFTARG = cms, RIGHTARG = cms, FUNCTION = cms_union, COMMUTATOR = ||);
COMMENT ON OPERATOR || (cms, cms) IS 'union of two sketches';

--use comparisons cms
--use casts cms
