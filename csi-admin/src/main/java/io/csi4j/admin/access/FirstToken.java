package io.csi4j.admin.access;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.state.StateReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Makes the first management token of a cluster, and writes its secret to a file that only the user of this process can read.
 *
 * <p>The secret is on the disk before the state has its hash, in a file of its own beside the named one. A crash in
 * between loses nothing: the next start keeps the file if the state has its token, and removes it otherwise. So each
 * file that a caller finds under the named path has the secret of a token that the state had.
 */
public final class FirstToken {
    /** The name of the first token. */
    public static final String NAME = "first";

    private static final System.Logger LOG = System.getLogger(FirstToken.class.getName());

    private final VolumeLifecycle lifecycle;
    private final SecretFile file;

    private FirstToken(VolumeLifecycle lifecycle, SecretFile file) {
        this.lifecycle = lifecycle;
        this.file = file;
    }

    /**
     * Makes the first token if the state has no token, also when all were revoked. Each server may call this at its start, with
     * a file of its own: one of them makes the token, and only that one has the file. Waits for the disk.
     *
     * @param lifecycle the engine; the host itself needs {@link io.csi4j.core.spi.Permission#MANAGEMENT}
     * @param path the file for the secret, in a directory that exists and that only the user of this process can write to. It is replaced if it has the secret of an
     *     earlier first token
     * @return whether this call put the secret of a token into the file. Fails with a {@link CsiException} if the file
     *     cannot be written, or is another file; or if the log does not answer: repeat the call then
     */
    public static CompletableFuture<Boolean> create(VolumeLifecycle lifecycle, Path path) {
        Objects.requireNonNull(lifecycle, "lifecycle");
        SecretFile file = new SecretFile(Objects.requireNonNull(path, "path"));
        try {
            return new FirstToken(lifecycle, file).create();
        } catch (IOException e) {
            return CompletableFuture.failedFuture(file.failed(e));
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private StateReader state() {
        return lifecycle.log().state().snapshot();
    }

    private CompletableFuture<Boolean> create() throws IOException {
        List<Path> earlier = file.pending();
        if (earlier.isEmpty() && state().accessTokens().iterator().hasNext()) {
            return CompletableFuture.completedFuture(false);
        }
        file.checkFree();
        AccessTokenSecret secret = AccessTokenSecret.generate();
        Path pending = file.writePending(secret);
        return lifecycle.accessTokens().createFirst(NAME, secret).handle((token, failure) -> {
            try {
                if (failure == null) {
                    // The state had no token, so the files of earlier calls have no secret of any use.
                    file.remove(earlier);
                    return keep(pending, token);
                }
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                if (cause instanceof RejectedException rejected
                        && rejected.reason() instanceof Rejection.AccessTokensExist) {
                    file.remove(List.of(pending));
                    return keepEarlier(earlier);
                }
                throw new CompletionException(cause);
            } catch (IOException e) {
                throw file.failed(e);
            }
        });
    }

    /** Keeps the file of an earlier call if the state has its token. The state is new enough to know, because the log has answered. */
    private boolean keepEarlier(List<Path> earlier) throws IOException {
        boolean kept = false;
        for (Path pending : earlier) {
            Optional<AccessTokenSecret> secret = SecretFile.read(pending);
            Optional<AccessToken> token =
                    secret.flatMap(one -> state().accessToken(one.id()).filter(row -> row.accepts(one)));
            if (token.isPresent()) {
                kept |= keep(pending, token.get());
            } else {
                file.remove(List.of(pending));
            }
        }
        return kept;
    }

    private boolean keep(Path pending, AccessToken token) throws IOException {
        file.keep(pending);
        LOG.log(Level.INFO, "The first access token, {0}, was made; its secret is in {1}", token.id(), file);
        return true;
    }
}
