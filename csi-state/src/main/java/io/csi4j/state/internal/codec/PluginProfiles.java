package io.csi4j.state.internal.codec;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Repeat;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import java.util.List;

/** The profiles of plugins, and the commands about them. */
public final class PluginProfiles implements PluginProfileCommand.Cases<Command.Builder> {
    PluginProfiles() {}

    public static StateProto.PluginProfile profile(PluginProfile profile) {
        return StateProto.PluginProfile.newBuilder()
                .setValues(values(profile))
                .setCreateIndex(profile.createIndex())
                .setModifyIndex(profile.modifyIndex())
                .build();
    }

    private static StateProto.PluginProfileValues values(PluginProfile profile) {
        StateProto.PluginProfileValues.Builder row = StateProto.PluginProfileValues.newBuilder()
                .setPluginId(profile.pluginId().value())
                .setWorkloadInfo(profile.workloadInfo())
                .setExtraMetadata(profile.extraMetadata())
                .setSnapshotMetadata(profile.snapshotMetadata())
                .setSecurityLabel(profile.securityLabel());
        if (!profile.republish().equals(RepublishOptions.none())) {
            row.setRepublish(Values.republish(profile.republish()));
        }
        if (!profile.ownership().equals(OwnershipSettings.ofDefaults())) {
            row.setOwnership(Values.ownershipSettings(profile.ownership()));
        }
        if (!profile.calls().equals(CallSettings.ofDefaults())) {
            row.setCalls(calls(profile.calls()));
        }
        return row.build();
    }

    private static StateProto.CallSettings calls(CallSettings calls) {
        StateProto.CallSettings.Builder row = StateProto.CallSettings.newBuilder()
                .setCallsInFlight(calls.callsInFlight())
                .setCallsPerVolume(calls.callsPerVolume())
                .setControllersByPlace(calls.controllersByPlace())
                .setNotFoundAsDone(calls.rules().notFoundAsDone());
        calls.rules()
                .changes()
                .forEach(change -> row.addRules(StateProto.CallRule.newBuilder()
                        .setRpc(change.rpc().csiName())
                        .setCode(change.code().name())
                        .setOutcome(change.rule().outcome().name())
                        .setRepeat(change.rule().repeat().name())
                        .setReason(change.rule().reason())));
        return row.build();
    }

    private static CallSettings calls(StateProto.CallSettings row) {
        CallRules rules = row.getNotFoundAsDone() ? CallRules.defaults().withNotFoundAsDone() : CallRules.defaults();
        for (StateProto.CallRule rule : row.getRulesList()) {
            rules = rules.with(
                    Rpc.ofCsiName(rule.getRpc())
                            .orElseThrow(() -> new UnknownPartException("rpc is \"" + rule.getRpc() + "\"", null)),
                    Parts.name(StatusCode.class, "code", rule.getCode()),
                    new CallRule(
                            Parts.name(CallOutcome.class, "outcome", rule.getOutcome()),
                            Parts.name(Repeat.class, "repeat", rule.getRepeat()),
                            rule.getReason()));
        }
        return CallSettings.builder()
                .callsInFlight(row.getCallsInFlight())
                .callsPerVolume(row.getCallsPerVolume())
                .controllersByPlace(row.getControllersByPlace())
                .rules(rules)
                .build();
    }

    /** Reads a row. Throws an {@link IllegalArgumentException} if it has values that no command stores. */
    public static PluginProfile profile(StateProto.PluginProfile row) {
        PluginProfile profile = values(row.getValues()).stored(row.getCreateIndex(), row.getModifyIndex());
        List<Problem> problems = profile.problems();
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(
                    "the profile of plugin " + profile.pluginId() + " is invalid: " + problems);
        }
        return profile;
    }

    private static PluginProfile values(StateProto.PluginProfileValues row) {
        PluginProfile.Builder profile = PluginProfile.builder(PluginId.of(row.getPluginId()))
                .workloadInfo(row.getWorkloadInfo())
                .extraMetadata(row.getExtraMetadata())
                .snapshotMetadata(row.getSnapshotMetadata())
                .securityLabel(row.getSecurityLabel());
        if (row.hasCalls()) {
            profile.calls(calls(row.getCalls()));
        }
        if (row.hasOwnership()) {
            OwnershipSettings ownership = Values.ownershipSettings(row.getOwnership());
            profile.ownershipFixed(ownership.fixed()).ownershipExcludes(ownership.excludes());
        }
        if (row.hasRepublish()) {
            RepublishOptions republish = Values.republish(row.getRepublish());
            profile.republishInterval(republish.interval())
                    .tokenAudiences(republish.audiences())
                    .tokenExpiry(republish.tokenExpiry().orElse(null))
                    .tokenDelivery(republish.delivery())
                    .tokensOnlyAtMount(republish.onlyAtMount());
        }
        return profile.build();
    }

    @Override
    public Command.Builder putPluginProfile(PluginProfileCommand.PutPluginProfile command) {
        return Command.newBuilder()
                .setPutPluginProfile(CommandProto.PutPluginProfile.newBuilder()
                        .setProfile(values(command.profile()))
                        .setIfModifyIndex(command.ifModifyIndex()));
    }

    static PluginProfileCommand putPluginProfile(CommandProto.PutPluginProfile row, Instant at) {
        return new PluginProfileCommand.PutPluginProfile(values(row.getProfile()), row.getIfModifyIndex(), at);
    }

    @Override
    public Command.Builder removePluginProfile(PluginProfileCommand.RemovePluginProfile command) {
        return Command.newBuilder()
                .setRemovePluginProfile(CommandProto.RemovePluginProfile.newBuilder()
                        .setPluginId(command.pluginId().value())
                        .setIfCreateIndex(command.ifCreateIndex()));
    }

    static PluginProfileCommand removePluginProfile(CommandProto.RemovePluginProfile row, Instant at) {
        return new PluginProfileCommand.RemovePluginProfile(PluginId.of(row.getPluginId()), row.getIfCreateIndex(), at);
    }
}
