package io.csi4j.admin.access;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An access control that decides by the policies of tokens. Each file {@code NAME.policy} of a directory is the policy
 * {@code NAME}. The files are read again each second, on the executor of the environment; {@link #allows} never waits for
 * a file. Thread-safe.
 *
 * <pre>
 * # operators of team A
 * namespace "team-a-*"  allow  VOLUME_LIST VOLUME_READ VOLUME_WRITE
 * namespace team-a-db   deny   VOLUME_WRITE
 * cluster               allow  PLUGIN_LIST PLUGIN_READ
 * </pre>
 *
 * <p>A caller with a token may do what a rule of one of its policies allows and no rule of any of them denies, in
 * whatever order. A token with a policy that this server does not have may do nothing, because that policy may have
 * denied something. A management token may do everything.
 *
 * <p>The engine asks once for each object, and each answer is about the present token: a token that is revoked or
 * expires ends also long operations of its holder at their next question.
 */
public final class AccessPolicies implements AccessControl, AutoCloseable {
    /** The time between two readings of the files. */
    public static final Duration RELOAD_INTERVAL = Duration.ofSeconds(1);

    private final PolicyDirectory directory;
    private final Environment environment;
    private final AccessControl others;

    // Guarded by this.
    private @Nullable Cancellable timer;
    private boolean closed;

    private AccessPolicies(PolicyDirectory directory, Environment environment, AccessControl others) {
        this.directory = directory;
        this.environment = environment;
        this.others = others;
    }

    /**
     * Reads the policies of a directory, and begins to watch it.
     *
     * @param directory the directory; only operators may be able to write to it
     * @param environment the clock, timer and executor; the caller closes this object first, then the environment
     * @param others decides about callers without a token, for example the host itself: the engine checks its operations, too, when they do not run {@linkplain io.csi4j.core.lifecycle.VolumeLifecycle#as as} another caller. {@link
     *     AccessControl#off()} if only the host's own code calls without a token
     * @throws PolicyException if a file or the directory cannot be used
     */
    public static AccessPolicies open(Path directory, Environment environment, AccessControl others) {
        Objects.requireNonNull(others, "others");
        PolicyDirectory files =
                new PolicyDirectory(Objects.requireNonNull(directory, "directory"), environment.clock());
        files.start();
        AccessPolicies policies = new AccessPolicies(files, environment, others);
        policies.scheduleNext();
        return policies;
    }

    private synchronized void scheduleNext() {
        if (!closed) {
            timer = environment.timer().schedule(RELOAD_INTERVAL, this::due);
        }
    }

    private void due() {
        try {
            environment.executor().execute(() -> {
                try {
                    reload();
                } finally {
                    scheduleNext();
                }
            });
        } catch (RejectedExecutionException e) {
            // The environment was closed before this object: there is nothing left to do.
            close();
        }
    }

    @Override
    public boolean allows(Principal caller, Access access) {
        Objects.requireNonNull(access, "access");
        if (!(caller instanceof TokenPrincipal holder)) {
            return others.allows(caller, access);
        }
        Optional<AccessToken> token = holder.token();
        return token.isPresent() && allows(token.get().request(), access);
    }

    private boolean allows(AccessTokenRequest token, Access access) {
        if (token.management()) {
            return true;
        }
        Map<String, Policy> policies = directory.current().byName();
        boolean allowed = false;
        for (String name : token.policies()) {
            Policy policy = policies.get(name);
            Policy.Decision decision = policy == null ? Policy.Decision.DENY : policy.decide(access);
            if (decision == Policy.Decision.DENY) {
                return false;
            }
            allowed |= decision == Policy.Decision.ALLOW;
        }
        return allowed;
    }

    /** Reads all files now; waits for the disk. A file that cannot be used keeps its policy, and is one of the {@link #problems}. */
    public void reload() {
        directory.reload();
    }

    /** Returns the problems of the last reading; empty if all files are in use as they are. */
    public List<PolicyProblem> problems() {
        return directory.current().problems();
    }

    /** Returns the names of all policies, sorted. */
    public Set<String> names() {
        return directory.current().byName().keySet();
    }

    /**
     * Returns the policies of a token or a request that this server does not have. A token with such a policy may do
     * nothing.
     */
    public List<String> missing(AccessTokenRequest token) {
        Set<String> present = names();
        return token.policies().stream().filter(name -> !present.contains(name)).toList();
    }

    /** Stops to read the files. The policies stay in use. Further calls have no effect. */
    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }
}
