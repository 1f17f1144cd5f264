-- Runs a command that has to fail, and tells its error: SQLSTATE, words, detail, hint.
CREATE PROCEDURE pg_temp.fails(command text) AS $$
DECLARE
	result text;
	state text;
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE command INTO result;
	RAISE NOTICE 'no error, but %', coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RAISE NOTICE '%', concat_ws(E'\n', state || ': ' || message, 'DETAIL:  ' || nullif(detail, ''), 'HINT:  ' || nullif(hint, ''));
END
$$ LANGUAGE plpgsql;
