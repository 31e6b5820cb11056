package io.csi4j.client.internal.call;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.KnownSecrets;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.core.call.Rpc;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sensitive values of all requests to a plugin and of its responses, grouped by volume or other subject. They are remembered because a
 * plugin may repeat them in the response to a later call that does not contain them. A text about one volume also hides the secrets of all
 * others ({@link KnownSecrets}), but not their contexts and mount flags, which may be ordinary words. Kept in memory only, with a limit.
 * Thread-safe.
 */
public final class KnownValues {
    /** The largest number of values for all subjects together; the least recently used subjects are dropped first. */
    private static final int MAX = 100_000;
    /**
     * The largest number of values for one volume. If a volume has more values, the oldest are dropped, and the
     * plugin's texts about the volume are no longer shown, because they might contain a dropped value.
     */
    private static final int MAX_PER_SUBJECT = 200;
    /**
     * The largest number of values to search for in a text without a subject; with more values, the text is not shown.
     */
    private static final int MAX_TO_SEARCH = 2_000;

    private static final Duration UNUSED = Duration.ofDays(30);
    /**
     * The key under which the values of requests without a subject are kept. No real subject equals this key, because
     * no id is empty.
     */
    private static final String NOTHING = "";

    private final Cache<String, Known> values = Caffeine.newBuilder()
            .maximumWeight(MAX)
            .weigher((String subject, Known known) -> known.values().size())
            .expireAfterAccess(UNUSED)
            .evictionListener((subject, known, cause) -> forgot())
            // Does the cache's little work on the thread of the call; by default another thread wakes up for it.
            .executor(Runnable::run)
            .build();
    /** The secrets of all subjects. A secret stays known after the deletion of its volume, because other volumes may have it, too. */
    private final KnownSecrets secrets = new KnownSecrets();

    private volatile boolean forgotten;

    /** The values of one subject, oldest first, and whether older values were dropped. */
    private record Known(Set<String> values, boolean incomplete) {}

    private void forgot() {
        forgotten = true;
    }

    /** Records the sensitive values of a request before it is sent. The returned call hides all recorded values in its error texts. */
    public <Q, A> RpcCall<Q, A> sending(RpcCall<Q, A> call) {
        if (!(call.request() instanceof Message request)) {
            return call;
        }
        if (add(call.subject(), SensitiveFields.valuesOf(request))) {
            secrets.add(SensitiveFields.longSecretsOf(request));
        }
        return new RpcCall<>(
                call.rpc(),
                call.method(),
                call.request(),
                call.subject(),
                () -> hidden(request, call.subject()),
                call.continuesPage());
    }

    /** Records the sensitive values of a response, and drops the values of a deleted volume. */
    public void answered(RpcCall<?, ?> call, @Nullable Object answer) {
        if (call.rpc() == Rpc.DELETE_VOLUME && call.subject() != null) {
            values.invalidate(call.subject());
        } else if (answer instanceof CreateVolumeResponse created && call.request() instanceof Message request) {
            // Keeps the values under the new volume's id as well: CreateVolume was sent with a name, but later calls
            // use the id.
            String id = created.getVolume().getVolumeId();
            add(id, SensitiveFields.valuesOf(request));
            add(id, SensitiveFields.valuesOf(created));
        } else if (call.subject() != null && answer instanceof Message message) {
            add(call.subject(), SensitiveFields.valuesOf(message));
        }
    }

    /** Remembers values of a subject; returns false if they were known. */
    private boolean add(@Nullable String subject, List<String> more) {
        String key = subject == null ? NOTHING : subject;
        if (more.isEmpty() || has(values.getIfPresent(key), more)) {
            return false;
        }
        values.asMap().compute(key, (same, known) -> {
            if (has(known, more)) {
                return known;
            }
            Set<String> all = new LinkedHashSet<>(known == null ? Set.of() : known.values());
            all.removeAll(more);
            all.addAll(more);
            boolean incomplete = known != null && known.incomplete();
            while (all.size() > MAX_PER_SUBJECT) {
                all.remove(all.iterator().next());
                incomplete = true;
                forgotten = true;
            }
            return new Known(all, incomplete);
        });
        return true;
    }

    private static boolean has(@Nullable Known known, List<String> values) {
        return known != null && known.values().containsAll(values);
    }

    private SensitiveValues hidden(Message request, @Nullable String subject) {
        SensitiveValues hidden = SensitiveFields.of(request).and(secrets);
        if (subject != null) {
            Known known = values.getIfPresent(subject);
            if (known == null) {
                return hidden;
            }
            known.values().forEach(hidden::add);
            return known.incomplete() ? hidden.all() : hidden;
        }
        int count = 0;
        for (Known known : values.asMap().values()) {
            count += known.values().size();
            if (count > MAX_TO_SEARCH) {
                break;
            }
            known.values().forEach(hidden::add);
        }
        return forgotten || count > MAX_TO_SEARCH ? hidden.all() : hidden;
    }
}
