-- The aggregates of distributed.c. The psql variable `module` is the module's
-- path without its suffix; only a superuser may load it from there.

CREATE FUNCTION worker_step(internal, oid, anyelement) RETURNS internal
	AS :'module', 'worker_step' LANGUAGE C;
CREATE FUNCTION unchecked_worker_step(internal, oid, anyelement) RETURNS internal
	AS :'module', 'unchecked_worker_step' LANGUAGE C;
CREATE FUNCTION worker_final_text(internal) RETURNS text
	AS :'module', 'worker_final_text' LANGUAGE C;
CREATE FUNCTION worker_final_binary(internal) RETURNS bytea
	AS :'module', 'worker_final_binary' LANGUAGE C;

CREATE FUNCTION combine_step(internal, oid, text, anyelement) RETURNS internal
	AS :'module', 'combine_step_text' LANGUAGE C;
CREATE FUNCTION combine_step(internal, oid, bytea, anyelement) RETURNS internal
	AS :'module', 'combine_step_binary' LANGUAGE C;
CREATE FUNCTION combine_final(internal, oid, text, anyelement) RETURNS anyelement
	AS :'module', 'combine_final' LANGUAGE C;
CREATE FUNCTION combine_final(internal, oid, bytea, anyelement) RETURNS anyelement
	AS :'module', 'combine_final' LANGUAGE C;

-- worker_*(aggregate, argument or row(arguments)): the state that a worker sends.
CREATE AGGREGATE worker_text(oid, anyelement) (
	SFUNC = worker_step, STYPE = internal, FINALFUNC = worker_final_text
);
CREATE AGGREGATE worker_binary(oid, anyelement) (
	SFUNC = worker_step, STYPE = internal, FINALFUNC = worker_final_binary
);
-- What a caller gets who passes on whatever type comes.
CREATE AGGREGATE unchecked_worker(oid, anyelement) (
	SFUNC = unchecked_worker_step, STYPE = internal, FINALFUNC = worker_final_text
);

-- combine(aggregate, state, NULL of the result's type): the aggregate's result.
CREATE AGGREGATE combine(oid, text, anyelement) (
	SFUNC = combine_step, STYPE = internal, FINALFUNC = combine_final, FINALFUNC_EXTRA
);
CREATE AGGREGATE combine(oid, bytea, anyelement) (
	SFUNC = combine_step, STYPE = internal, FINALFUNC = combine_final, FINALFUNC_EXTRA
);
