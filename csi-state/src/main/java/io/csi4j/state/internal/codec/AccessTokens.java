package io.csi4j.state.internal.codec;

import com.google.protobuf.ByteString;
import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.SecretHash;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import java.util.Optional;

/** Access tokens, and the commands about them. A hash is no secret, so it does not pass through the cipher. */
public final class AccessTokens implements AccessTokenCommand.Cases<Command.Builder> {
    AccessTokens() {}

    public static StateProto.AccessToken token(AccessToken token) {
        return StateProto.AccessToken.newBuilder()
                .setId(token.id().value())
                .setRequest(request(token.request()))
                .setHash(hash(token.hash()))
                .setCreatedBy(token.createdBy())
                .setCreatedAt(Values.time(token.createdAt()))
                .build();
    }

    public static AccessToken token(StateProto.AccessToken row) {
        return new AccessToken(
                AccessTokenId.of(row.getId()),
                request(row.getRequest()),
                hash(row.getHash()),
                row.getCreatedBy(),
                Values.time(row.getCreatedAt()));
    }

    private static StateProto.AccessTokenRequest request(AccessTokenRequest request) {
        StateProto.AccessTokenRequest.Builder row = StateProto.AccessTokenRequest.newBuilder()
                .setName(request.name())
                .addAllPolicies(request.policies())
                .setManagement(request.management());
        request.expiresAt().map(Values::time).ifPresent(row::setExpiresAt);
        return row.build();
    }

    private static AccessTokenRequest request(StateProto.AccessTokenRequest row) {
        return new AccessTokenRequest(
                row.getName(),
                row.getPoliciesList(),
                row.getManagement(),
                row.hasExpiresAt() ? Optional.of(Values.time(row.getExpiresAt())) : Optional.empty());
    }

    private static ByteString hash(SecretHash hash) {
        return ByteString.copyFrom(hash.bytes());
    }

    private static SecretHash hash(ByteString bytes) {
        return SecretHash.of(bytes.toByteArray());
    }

    @Override
    public Command.Builder createAccessToken(AccessTokenCommand.CreateAccessToken command) {
        return Command.newBuilder()
                .setCreateAccessToken(CommandProto.CreateAccessToken.newBuilder()
                        .setId(command.id().value())
                        .setRequest(request(command.request()))
                        .setHash(hash(command.hash()))
                        .setCreatedBy(command.createdBy())
                        .setOnlyFirst(command.onlyFirst()));
    }

    static AccessTokenCommand createAccessToken(CommandProto.CreateAccessToken row, Instant at) {
        return new AccessTokenCommand.CreateAccessToken(
                AccessTokenId.of(row.getId()),
                request(row.getRequest()),
                hash(row.getHash()),
                row.getCreatedBy(),
                row.getOnlyFirst(),
                at);
    }

    @Override
    public Command.Builder revokeAccessToken(AccessTokenCommand.RevokeAccessToken command) {
        return Command.newBuilder()
                .setRevokeAccessToken(CommandProto.RevokeAccessToken.newBuilder()
                        .setId(command.id().value()));
    }

    static AccessTokenCommand revokeAccessToken(CommandProto.RevokeAccessToken row, Instant at) {
        return new AccessTokenCommand.RevokeAccessToken(AccessTokenId.of(row.getId()), at);
    }
}
