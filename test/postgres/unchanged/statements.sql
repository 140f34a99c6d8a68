-- Statements of all sorts, for what a client sees of them: unchanged_tests.py.
\set VERBOSITY verbose
create table t (i int primary key, s text, n numeric(10, 2) default 1.5, at timestamp default '2026-01-02 03:04:05');
insert into t (i, s) select g, 'row ' || g from generate_series(1, 50) g;
insert into t (i, s) values (51, 'ä''ö'), (52, null) returning *;
insert into t values (1, 'again');
insert into t values (1, 'again') on conflict (i) do update set s = excluded.s returning *;
insert into t (i, n) values (60, 123456789);
update t set s = upper(s) where i between 2 and 4 returning i, s;
delete from t where i > 50 returning i;
merge into t using (values (2, 'two'), (99, 'new')) v(i, s) on t.i = v.i
  when matched then update set s = v.s when not matched then insert (i, s) values (v.i, v.s);
select count(*), min(s), max(s), sum(n), avg(i) from t;
select i, s, row_number() over (partition by i % 3 order by i desc) from t where i < 8 order by i;
with recursive r(i) as (select 1 union all select i * 2 from r where i < 100) select array_agg(i), jsonb_agg(i) from r;
with gone as (delete from t where i = 99 returning *), kept as (insert into t (i, s) select 100, s from gone returning i) select * from kept;
select * from t where i in (select i from t where s like 'ROW%') order by i limit 2;
-- Errors: in the parser, in analysis, in planning, in execution, in what is checked at the end.
selec 1;
select * from nowhere;
select missing from t;
select 'x'::int;
select 1/0;
select 1/(i - 5) from t;
select pg_catalog.nothing();
alter table t add constraint positive check (i > 1);
-- Transactions.
begin;
savepoint a;
insert into t (i) values (1);
select 'aborted';
rollback to a;
insert into t (i) values (200);
release a;
declare c scroll cursor for select i from t order by i;
fetch 2 from c;
move forward 3 in c;
fetch backward 1 from c;
fetch last from c;
close c;
rollback;
begin;
declare kept cursor with hold for select s from t where i = 2;
commit;
fetch all from kept;
close kept;
select count(*) from t where i = 200;
create table deferred (i int references t deferrable initially deferred);
begin;
insert into deferred values (12345);
commit;
-- What is prepared.
prepare p(int, text, numeric, date) as select $1 + 1, $2 || '!', $3 * 2, $4 + 1;
execute p(1, 'a', 2.50, '2026-01-31');
execute p(null, null, null, null);
execute p(1);
execute p('x', 'a', 1, '2026-01-31');
deallocate p;
execute p(1, 'a', 1, '2026-01-31');
-- Functions, and what they raise.
create function add_up(most int) returns int language plpgsql as $$
declare total int := 0; r record;
begin
  for r in select i from t where i <= most order by i loop total := total + r.i; end loop;
  raise notice 'added up to %', total using hint = 'a hint', detail = 'a detail';
  if total > 100 then raise exception 'too much: %', total using errcode = '22003'; end if;
  return total;
end $$;
select add_up(5);
select add_up(20);
do $$ begin perform add_up(20); exception when numeric_value_out_of_range then raise warning 'caught %: %', sqlstate, sqlerrm; end $$;
do $$ begin execute 'select 1/0'; end $$;
create function simple(n int) returns setof t language sql stable as $$ select * from t where i < n $$;
select i from simple(4);
create procedure twice(inout n int) language plpgsql as $$ begin n := n * 2; commit; insert into t (i) values (-n); rollback; end $$;
call twice(21);
create function deep(n int) returns int language plpgsql as $$ begin return deep(n + 1); end $$;
set max_stack_depth = '100kB';
\set VERBOSITY sqlstate
select deep(0);
\set VERBOSITY verbose
reset max_stack_depth;
-- Triggers, rules, views, row security.
create table log (what text, i int);
create function note() returns trigger language plpgsql as $$ begin insert into log values (tg_op, coalesce(new.i, old.i)); return null; end $$;
create trigger note_it after insert or update or delete on t for each row execute function note();
insert into t (i) values (301), (302);
update t set s = 'x' where i > 300;
delete from t where i > 300;
select * from log;
create view v as select i, s from t where i < 4;
update v set s = 'by the view' where i = 2 returning *;
create rule no_deletes as on delete to log do instead select 'not ' || old.what as what;
delete from log where i = 301;
create role clerk;
alter table t enable row level security;
create policy few on t to clerk using (i < 3);
grant select on t to clerk;
set role clerk;
select count(*) from t;
delete from t;
reset role;
-- Commands.
create table parts (i int, k int) partition by range (i);
create table parts_1 partition of parts for values from (0) to (10);
insert into parts values (5, 1), (15, 2);
create index on parts (k);
analyze t;
explain (costs off) select * from t where i = 7;
explain (analyze, costs off, timing off, summary off) select count(*) from t where i < 10;
copy (select i, s from t where i < 4 order by i) to stdout (format csv, header);
copy log from stdin;
copied	1
copied	x
\.
create table like_t (like t including all);
create materialized view m as select count(*) from t;
refresh materialized view m;
select * from m;
vacuum t;
begin; vacuum t; rollback;
truncate log;
listen news;
\o /dev/null
notify news, 'payload';
\o
begin;
set local statement_timeout = 20;
select pg_sleep(100);
rollback;
set work_mem = 'many';
show work_mem;
select 1 as a\; select 2 as b\; select 1/0\; select 4;
drop owned by clerk;
drop role clerk;
drop table t;
drop table t cascade;
