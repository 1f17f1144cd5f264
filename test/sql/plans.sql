-- Whether a line of a command's plan matches.
CREATE FUNCTION pg_temp.uses(what text, command text) RETURNS boolean AS $$
DECLARE
	line text;
	used boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || command LOOP
		used := used OR line ~ what;
	END LOOP;
	RETURN used;
END
$$ LANGUAGE plpgsql;
-- Whether workers aggregate for a query.
CREATE FUNCTION pg_temp.is_parallel(query text) RETURNS boolean AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	RETURN plan ~ 'Gather.*Partial Aggregate';
END
$$ LANGUAGE plpgsql;
