package io.csi4j.core.internal.apply;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.core.state.RowType;
import java.util.List;
import java.util.Optional;

/** Keeps the rows of access tokens. */
final class AccessTokenHandler implements AccessTokenCommand.Cases<Outcome> {
    private final Step step;

    AccessTokenHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome createAccessToken(AccessTokenCommand.CreateAccessToken command) {
        Optional<AccessToken> present = step.reader().accessToken(command.id());
        if (present.isPresent()) {
            return present.get().equals(command.token())
                    ? step.accepted()
                    : Step.rejected(new Rejection.InvalidRequest(
                            "access token " + command.id(),
                            List.of(new Problem("id", "is that of another token", "create a token with a new id"))));
        }
        if (command.onlyFirst() && step.reader().accessTokens().iterator().hasNext()) {
            return Step.rejected(new Rejection.AccessTokensExist());
        }
        step.writer().put(RowType.ACCESS_TOKENS, command.token());
        return step.accepted();
    }

    @Override
    public Outcome revokeAccessToken(AccessTokenCommand.RevokeAccessToken command) {
        if (step.reader().accessToken(command.id()).isPresent()) {
            step.writer().remove(RowType.ACCESS_TOKENS, command.id());
        }
        return step.accepted();
    }
}
