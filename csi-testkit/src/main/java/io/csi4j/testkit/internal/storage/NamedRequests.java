package io.csi4j.testkit.internal.storage;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.testkit.history.ChangedRequest;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares the requests that create objects of the same name (R29). The first request binds its name, whatever its answer is, until the
 * object is deleted or the plugin's answer says that the caller has to change the request.
 */
public final class NamedRequests {
    static final String CREATE_VOLUME = "CreateVolume";
    static final String CREATE_SNAPSHOT = "CreateSnapshot";
    static final String CREATE_GROUP = "CreateVolumeGroupSnapshot";

    private final Backend backend;

    public NamedRequests(Backend backend) {
        this.backend = backend;
    }

    /**
     * Records a request, if it creates an object.
     *
     * @param message any request
     * @return whether this request binds its name
     */
    public boolean arrived(Message message) {
        NamedRequest named = named(message);
        return named != null
                && !named.name().isEmpty()
                && backend.store.locked(() -> {
                    NamedRequest first = backend.requests.get(named.key());
                    if (first == null || !first.binding()) {
                        backend.requests.put(named.key(), first == null ? named : named.withChanged(first.changed()));
                        return true;
                    }
                    Set<String> different = new TreeSet<>(first.differences(named.request()));
                    if (!first.changed().containsAll(different)) {
                        backend.requests.put(first.key(), first.withChanged(different));
                    }
                    return false;
                });
    }

    /** Frees the name of a request that had no effect and must be changed, as its answer says. */
    public void refused(Message message) {
        NamedRequest named = named(message);
        if (named != null) {
            backend.store.locked(() -> {
                free(backend, named.rpc(), named.name());
                return named;
            });
        }
    }

    /** Frees the name of a deleted object. */
    static void free(Backend backend, String rpc, String name) {
        NamedRequest first = backend.requests.get(NamedRequest.key(rpc, name));
        if (first != null && first.changed().isEmpty()) {
            backend.requests.remove(first.key());
        } else if (first != null) {
            backend.requests.put(first.key(), first.withBinding(false));
        }
    }

    /** Returns the names under which different requests came. */
    public List<ChangedRequest> changed() {
        return backend.store.locked(() -> backend.requests.all().stream()
                .filter(request -> !request.changed().isEmpty())
                .map(request -> new ChangedRequest(request.rpc(), request.name(), List.copyOf(request.changed())))
                .toList());
    }

    private static @Nullable NamedRequest named(Message message) {
        if (message instanceof CreateVolumeRequest volume) {
            return first(
                    CREATE_VOLUME,
                    volume.getName(),
                    volume.toBuilder().clearSecrets().build());
        }
        if (message instanceof CreateSnapshotRequest snapshot) {
            return first(
                    CREATE_SNAPSHOT,
                    snapshot.getName(),
                    snapshot.toBuilder().clearSecrets().build());
        }
        if (message instanceof CreateVolumeGroupSnapshotRequest group) {
            return first(
                    CREATE_GROUP,
                    group.getName(),
                    group.toBuilder().clearSecrets().build());
        }
        return null;
    }

    private static NamedRequest first(String rpc, String name, Message request) {
        return new NamedRequest(rpc, name, request, true, Set.of());
    }
}
