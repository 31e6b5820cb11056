package io.csi4j.core.call;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The properties of one RPC, which {@link Rpc} sets before its constructor copies them. */
final class RpcRow {
    final RetryPolicy policy;
    final Duration deadline;
    boolean secrets;
    boolean endsUse;
    Rpc.@Nullable Subject subject;
    List<String> subjectFields = List.of();
    String location = "";
    String opposite = "";
    String rule = "";
    Set<StatusCode> codes = EnumSet.noneOf(StatusCode.class);

    private RpcRow(RetryPolicy policy, Duration deadline) {
        this.policy = policy;
        this.deadline = deadline;
    }

    static RpcRow row(RetryPolicy policy, Duration deadline) {
        return new RpcRow(policy, deadline);
    }

    /** The request has a field for secrets. */
    RpcRow secrets() {
        secrets = true;
        return this;
    }

    /** The call is about an object of this kind, and waits for other calls about it. */
    RpcRow about(Rpc.Subject kind) {
        subject = kind;
        return subjectFields(kind.field());
    }

    /** The call is about the object that one of these fields names, and waits for no other call. */
    RpcRow subjectFields(String... fields) {
        subjectFields = List.of(fields);
        return this;
    }

    /** The field with the node id or the path. */
    RpcRow location(String field) {
        location = field;
        return this;
    }

    /** The name of the RPC that undoes this one. */
    RpcRow undoneBy(String csiName) {
        opposite = csiName;
        return this;
    }

    RpcRow endsUse() {
        endsUse = true;
        return this;
    }

    /** The status codes that have a special meaning for the RPC, and the number of the rule that says so. */
    RpcRow codes(String number, StatusCode... specified) {
        rule = number;
        codes = EnumSet.copyOf(List.of(specified));
        return this;
    }
}
