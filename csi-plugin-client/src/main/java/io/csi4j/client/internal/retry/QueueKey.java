package io.csi4j.client.internal.retry;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import org.jspecify.annotations.Nullable;

/** The key of a queue: a volume, a snapshot or a group snapshot, by its id or by its name (R26). */
record QueueKey(RpcService service, Rpc.Subject kind, String id) {
    /** Returns the key of a call's queue; null if the call needs no queue. */
    static @Nullable QueueKey of(CallTarget call) {
        String id = call.subject();
        return id == null
                ? null
                : call.rpc()
                        .subject()
                        .map(kind -> new QueueKey(call.rpc().service(), kind, id))
                        .orElse(null);
    }
}
