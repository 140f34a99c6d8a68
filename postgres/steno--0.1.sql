-- The log in SQL (docs/postgresql.md). What is asked for is read from the file: what has been logged in the last second
-- or so may not be there yet.
\echo Use "CREATE EXTENSION steno" to load this file. \quit

-- Rows of the records of all statements of steno's whose format has that part; the columns are those that the caller's
-- list of column definitions names, of type bigint, double precision, text or timestamptz. What a statement lacks is null.
CREATE FUNCTION rows(statement text, since timestamptz, until timestamptz, condition text, path text)
RETURNS SETOF record LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'steno_rows';

CREATE FUNCTION verify(path text DEFAULT NULL, OUT loss text, OUT records bigint)
RETURNS SETOF record LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'steno_losses';

-- A path that names the log and, where `since` is given, those of its closed files that were written since then and have
-- names of steno's.
CREATE FUNCTION path_since(since timestamptz) RETURNS text LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'steno_files_path';

-- Stable ones become part of the query that calls them, which then opens the log once for all of them.
CREATE FUNCTION queries(path text DEFAULT NULL) RETURNS TABLE (query_id bigint, query text) LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (q.query_id) q.query_id, q.query
    FROM @extschema@.rows('query {query_id}: {query}', NULL, NULL, NULL, path) AS q
         (query_id bigint, query text, backend_type text)
$$;

-- Plans of statements that took as long as steno.log_plans says, one of each shape, as JSON (perhaps cut).
CREATE FUNCTION plans(path text DEFAULT NULL) RETURNS TABLE (query_id bigint, plan_id bigint, plan text) LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (p.query_id, p.plan_id) p.query_id, p.plan_id, p.plan
    FROM @extschema@.rows('plan {plan_id} of query {query_id}: {plan}', NULL, NULL, NULL, path) AS p
         (query_id bigint, plan_id bigint, plan text, backend_type text)
$$;

-- Each statement that ended, and each message of the server, as foreign tables, which take conditions from WHERE.
CREATE FUNCTION fdw_handler() RETURNS fdw_handler LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'steno_fdw_handler';
CREATE FUNCTION fdw_validator(text[], oid) RETURNS void LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'steno_fdw_validator';
CREATE FOREIGN DATA WRAPPER steno HANDLER fdw_handler VALIDATOR fdw_validator;
CREATE SERVER steno FOREIGN DATA WRAPPER steno;
IMPORT FOREIGN SCHEMA steno FROM SERVER steno INTO @extschema@;

-- The same of any file. `condition` is one as `steno cat --where` takes it, and is looked up in the file's directories.
CREATE FUNCTION log(since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, condition text DEFAULT NULL,
                    path text DEFAULT NULL)
RETURNS SETOF @extschema@.log LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'steno_table_rows';

CREATE FUNCTION messages(since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, condition text DEFAULT NULL,
                         path text DEFAULT NULL)
RETURNS SETOF @extschema@.messages LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'steno_table_rows';

-- Totals by query, command, user and database, and by backend, of what was logged in a time: computed from the file's
-- columns. Times are in nanoseconds. Statements within functions count only if they are asked for: their time is part of
-- that of the client's statement.
CREATE FUNCTION statement_totals(since timestamptz, until timestamptz, path text, nested boolean DEFAULT false, OUT query_id bigint, OUT command text,
                                 OUT "user" text, OUT database text, OUT calls bigint, OUT errors bigint,
                                 OUT duration numeric, OUT planning numeric, OUT rows numeric, OUT shared_hit numeric,
                                 OUT shared_read numeric, OUT temp_written numeric, OUT wal_bytes numeric,
                                 OUT min bigint, OUT p50 bigint, OUT p99 bigint, OUT p999 bigint, OUT max bigint)
RETURNS SETOF record LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'steno_statement_totals';

CREATE FUNCTION session_totals(since timestamptz, until timestamptz, path text, OUT pid bigint, OUT "user" text,
                               OUT database text, OUT client text, OUT backend_type text, OUT application text,
                               OUT first_statement timestamptz, OUT last_statement timestamptz, OUT statements bigint,
                               OUT errors bigint, OUT duration numeric, OUT rows numeric, OUT wal_bytes numeric)
RETURNS SETOF record LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'steno_session_totals';

-- The same by query in milliseconds.
CREATE TYPE statement_time AS (query_id bigint, command text, "user" text, database text, calls bigint, errors bigint, total_ms numeric,
                               mean_ms numeric, min_ms numeric, p50_ms numeric, p99_ms numeric, p999_ms numeric, max_ms numeric,
                               planning_ms numeric, rows bigint, shared_hit bigint, shared_read bigint, temp_written bigint,
                               wal_bytes bigint);

-- Part of the query that calls it.
CREATE FUNCTION statement_figures(since timestamptz, until timestamptz, path text DEFAULT NULL)
RETURNS SETOF @extschema@.statement_time
LANGUAGE sql STABLE AS $$
  SELECT query_id, command, "user", database, calls, errors, duration / 1e6, duration / calls / 1e6, min / 1e6, p50 / 1e6,
         p99 / 1e6, p999 / 1e6, max / 1e6, planning / 1e6, rows::bigint, shared_hit::bigint, shared_read::bigint,
         temp_written::bigint, wal_bytes::bigint
    FROM @extschema@.statement_totals(since, until, path)
$$;

-- What statements took in a time, without their texts: numbers and names only.
CREATE FUNCTION statement_times(since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
RETURNS SETOF @extschema@.statement_time
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM @extschema@.statement_figures(since, until)
$$;
-- From files of the caller's choice, with the caller's rights.
CREATE FUNCTION statement_times(since timestamptz, until timestamptz, path text)
RETURNS SETOF @extschema@.statement_time
LANGUAGE sql VOLATILE AS $$
  SELECT * FROM @extschema@.statement_figures(since, until, path)
$$;

CREATE FUNCTION statements(since timestamptz, until timestamptz DEFAULT NULL, path text DEFAULT NULL)
RETURNS TABLE (query text, query_id bigint, command text, "user" text, database text, calls bigint, errors bigint,
               total_ms numeric, mean_ms numeric, min_ms numeric, p50_ms numeric, p99_ms numeric, p999_ms numeric,
               max_ms numeric, planning_ms numeric, rows bigint, shared_hit bigint, shared_read bigint,
               temp_written bigint, wal_bytes bigint)
LANGUAGE sql STABLE AS $$
  SELECT q.query, f.* FROM @extschema@.statement_figures(since, until, path) AS f
         LEFT JOIN @extschema@.queries(coalesce(path, @extschema@.path_since(since))) AS q USING (query_id)
$$;

-- Clients, and other processes that execute statements.
CREATE FUNCTION sessions(since timestamptz, until timestamptz DEFAULT NULL)
RETURNS TABLE (pid bigint, "user" text, database text, client text, application text, backend_type text,
               first_statement timestamptz, last_statement timestamptz, statements bigint, errors bigint, total_ms numeric,
               rows bigint, wal_bytes bigint)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT pid, "user", database, client, application, backend_type, first_statement, last_statement, statements, errors,
         duration / 1e6, rows::bigint, wal_bytes::bigint
    FROM @extschema@.session_totals(since, until, NULL)
$$;
-- From files of the caller's choice, with the caller's rights.
CREATE FUNCTION sessions(since timestamptz, until timestamptz, path text)
RETURNS TABLE (pid bigint, "user" text, database text, client text, application text, backend_type text,
               first_statement timestamptz, last_statement timestamptz, statements bigint, errors bigint, total_ms numeric,
               rows bigint, wal_bytes bigint)
LANGUAGE sql VOLATILE AS $$
  SELECT pid, "user", database, client, application, backend_type, first_statement, last_statement, statements, errors,
         duration / 1e6, rows::bigint, wal_bytes::bigint
    FROM @extschema@.session_totals(since, until, path)
$$;

CREATE VIEW statements AS SELECT * FROM @extschema@.statements(NULL);
CREATE VIEW errors AS SELECT * FROM @extschema@.messages WHERE level IN ('ERROR', 'CRITICAL');
CREATE VIEW slow AS
  SELECT l.*, q.query, p.plan FROM @extschema@.log AS l
         LEFT JOIN @extschema@.queries() AS q USING (query_id)
         LEFT JOIN @extschema@.plans() AS p USING (query_id, plan_id)
   WHERE elapsed >= 100000000 OR duration >= 100000000;  -- older records have no elapsed
CREATE FUNCTION slow(since timestamptz, until timestamptz DEFAULT NULL, path text DEFAULT NULL)
RETURNS SETOF @extschema@.slow
LANGUAGE sql VOLATILE AS $$
  SELECT l.*, q.query, p.plan
    FROM @extschema@.log(since, until, 'elapsed >= 100000000 or duration >= 100000000', path) AS l
         LEFT JOIN @extschema@.queries(coalesce(path, @extschema@.path_since(since))) AS q USING (query_id)
         LEFT JOIN @extschema@.plans(coalesce(path, @extschema@.path_since(since))) AS p USING (query_id, plan_id)
$$;
CREATE VIEW sessions AS SELECT * FROM @extschema@.sessions(NULL);

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA @extschema@ FROM PUBLIC;
GRANT USAGE ON SCHEMA @extschema@ TO pg_read_server_files, pg_monitor;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA @extschema@ TO pg_read_server_files;
GRANT EXECUTE ON FUNCTION statement_times(timestamptz, timestamptz), sessions(timestamptz, timestamptz) TO pg_monitor;
GRANT SELECT ON statements, errors, slow, sessions, log, messages TO pg_read_server_files;
GRANT USAGE ON FOREIGN SERVER steno TO pg_read_server_files;
GRANT SELECT ON sessions TO pg_monitor;
