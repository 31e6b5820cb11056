package io.csi4j.core.internal.command;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.SecretHash;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Objects;

/** Commands about access tokens ({@link AccessToken}). */
public sealed interface AccessTokenCommand extends Command {
    AccessTokenId id();

    /**
     * Creates an access token. Has no effect if the state has the same token; rejected if another token has the id.
     *
     * @param createdBy the name of the caller
     * @param onlyFirst whether the command is rejected if the state has another token
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record CreateAccessToken(
            AccessTokenId id,
            AccessTokenRequest request,
            SecretHash hash,
            String createdBy,
            boolean onlyFirst,
            Instant at)
            implements AccessTokenCommand {
        /** @throws IllegalArgumentException if the request has problems */
        public CreateAccessToken {
            Text.checked("CreateAccessToken: createdBy", createdBy);
            // Checks the values.
            var unused = new AccessToken(id, request, hash, createdBy, at);
        }

        /** Returns the token. */
        public AccessToken token() {
            return new AccessToken(id, request, hash, createdBy, at);
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.createAccessToken(this);
        }
    }

    /**
     * Revokes an access token. Has no effect if the state does not have it.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RevokeAccessToken(AccessTokenId id, Instant at) implements AccessTokenCommand {
        public RevokeAccessToken {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.revokeAccessToken(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R createAccessToken(CreateAccessToken command);

        R revokeAccessToken(RevokeAccessToken command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
