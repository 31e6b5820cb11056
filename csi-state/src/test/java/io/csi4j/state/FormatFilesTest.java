package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.snapshot.SnapshotContent;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.codec.AccessTokens;
import io.csi4j.state.internal.codec.PluginProfiles;
import io.csi4j.state.internal.codec.Quotas;
import io.csi4j.state.internal.codec.RefusedCreations;
import io.csi4j.state.internal.codec.Rows;
import io.csi4j.state.internal.codec.Verifications;
import io.csi4j.state.internal.codec.VolumeToProto;
import io.csi4j.state.internal.tree.Cursor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Reads files of each format. The file of a released format never changes: a change of the encoding needs a new format number, and {@link
 * FormatRepair} has to read the old format.
 */
class FormatFilesTest {
    private static byte[] file(String name) throws IOException {
        try (InputStream in = FormatFilesTest.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return Base64.getMimeDecoder().decode(in.readAllBytes());
        }
    }

    private static StateStore store() {
        return StateEncodingTest.store(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)));
    }

    @Test
    void currentEncodingEqualsItsFixtureFile() throws IOException {
        try (StateStore rich = StateEncodingTest.rich(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)))) {
            equalsFile(rich, "format-" + FormatRepair.PRESENT + ".state.base64");
        }
    }

    private static void equalsFile(StateStore rich, String name) throws IOException {
        try (StateStore read = store()) {
            byte[] written = StateEncodingTest.encode(rich);
            Path now = Path.of("target", name);
            Files.write(now, Base64.getMimeEncoder().encode(written));
            byte[] file = file(name);
            assertThat(written)
                    .as("the current encoding is in %s", now.toAbsolutePath())
                    .isEqualTo(file);
            StateEncodingTest.restore(read, file);
            SameAnswers.check(read.snapshot(), rich.snapshot());
        }
    }

    /** The instances in the older files have all answered. */
    @Test
    void instanceThatHasNotAnsweredHasAFileOfItsOwn() throws IOException {
        try (StateStore waiting = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeUnproved);
                StateStore older = store()) {
            equalsFile(waiting, "format-3-unproved.state.base64");
            assertThat(waiting.snapshot().unprovedOf(PluginId.of("p3"))).containsExactly(RichState.unproved());
            StateEncodingTest.restore(older, file("format-3.state.base64"));
            assertThat(older.snapshot().instances()).isNotEmpty().allMatch(PluginInstance::proved);
        }
    }

    @Test
    void clearTextSecretsFromOldFormatAreWrittenEncrypted() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeFormat2);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-2.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            Volume full = read.snapshot().volume(RichState.FULL).orElseThrow();
            assertThat(full.spec().secrets().asMap()).isEqualTo(RichState.SECRET);
            assertThat(StateEncodingTest.encode(read)).isEqualTo(StateEncodingTest.encode(rich));
        }
    }

    @Test
    void stateOfFormat3BeforeLeftoversIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeLeftovers);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-leftovers.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
        }
    }

    @Test
    void stateOfFormat3BeforeRequestedClaimsIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)),
                        RichState::writeBeforeRequestedClaims);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-requested-claims.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().requestedClaims()).isEmpty();
        }
    }

    @Test
    void stateOfFormat3BeforeAccessTokensIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeAccessTokens);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-access-tokens.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().accessTokens()).isEmpty();
            // A state without tokens has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-access-tokens.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforeRefusedCreationsIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)),
                        RichState::writeBeforeRefusedCreations);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-refused-creations.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().rows(RowType.REFUSED_CREATIONS)).isEmpty();
            // A state without refused creations has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich))
                    .isEqualTo(file("format-3-before-refused-creations.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforeVolumeClassesIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeVolumeClasses);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-volume-classes.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().volumeClasses()).isEmpty();
            assertThat(read.snapshot().volumes(VolumeQuery.all()).items())
                    .isNotEmpty()
                    .allMatch(volume -> volume.classOrigin().isEmpty());
            // A state without classes has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-volume-classes.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforeQuotasIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeQuotas);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-quotas.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().quotas()).isEmpty();
            assertThat(read.snapshot().withdrawnCreations())
                    .isNotEmpty()
                    .allMatch(row -> row.countedBytes() == 0 && row.className().isEmpty());
            // The use is derived from the rows, so it is known for a state that is older than quotas.
            QuotaUse use = read.snapshot()
                    .quotaUse(QuotaKey.of(
                            Namespace.of("team-a"), RichState.volumeClass().name()));
            assertThat(use.creating()).isEqualTo(new QuotaUse.Amount(1, 2_000));
            // A state without quotas has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-quotas.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforeVerificationsIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeVerifications);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-verifications.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().rows(RowType.RESTORES)).isEmpty();
            assertThat(read.snapshot().volumes(VolumeQuery.all()).items())
                    .isNotEmpty()
                    .allMatch(volume -> volume.verification().isEmpty());
            // A state that was never restored has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-verifications.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforeRepublishIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeRepublish);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-republish.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().pluginProfiles())
                    .isNotEmpty()
                    .allMatch(profile -> profile.republish().equals(RepublishOptions.none()));
            // A profile without them has the bytes that it had before, so the digest of the state is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-republish.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforePluginProfilesIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)),
                        RichState::writeBeforePluginProfiles);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-plugin-profiles.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().pluginProfiles()).isEmpty();
            assertThat(read.snapshot().volumes(VolumeQuery.all()).items())
                    .isNotEmpty()
                    .noneMatch(Volume::extraMetadata);
            // A state without profiles has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-plugin-profiles.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforeSourceSnapshotsIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)),
                        RichState::writeBeforeSourceSnapshots);
                StateStore read = store()) {
            byte[] file = file("format-3-before-source-snapshots.state.base64");
            StateEncodingTest.restore(read, file);
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().snapshots())
                    .isNotEmpty()
                    .allMatch(row -> row.content().equals(SnapshotContent.UNKNOWN));
            assertThat(read.snapshot().pluginProfiles())
                    .isNotEmpty()
                    .allMatch(profile -> profile.ownership().equals(OwnershipSettings.ofDefaults()));
            // A state without the new fields has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file);
        }
    }

    @Test
    void stateOfFormat3BeforeSnapshotsIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeSnapshots);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-snapshots.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().snapshots()).isEmpty();
            // A state without snapshots has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-snapshots.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforeInlineVolumesAndCapacityChecksIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeInline);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-inline.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().volumeClasses())
                    .isNotEmpty()
                    .allMatch(row -> row.kind() == VolumeKind.CREATED
                            && row.capacityCheck() == CapacityCheck.ADVISE
                            && row.useByTemplate()
                            && row.attributeKeys().isEmpty()
                            && !row.ephemeral());
            assertThat(read.snapshot().requestedClaims())
                    .flatExtracting(RequestedClaims::requests)
                    .extracting(ClaimRequest::template)
                    .filteredOn(Optional::isPresent)
                    .isNotEmpty()
                    .allMatch(template -> template.orElseThrow().attributes().isEmpty()
                            && template.orElseThrow().contentSource().isEmpty());
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-inline.state.base64"));
        }
    }

    @Test
    void stateOfFormat3BeforeTemplatesIsRead() throws IOException {
        try (StateStore rich = StateEncodingTest.written(
                        StateEncodingTest.cipher("k1", StateEncodingTest.key(1)), RichState::writeBeforeTemplates);
                StateStore read = store()) {
            StateEncodingTest.restore(read, file("format-3-before-templates.state.base64"));
            SameAnswers.check(read.snapshot(), rich.snapshot());
            assertThat(read.snapshot().volumes(VolumeQuery.all()).items())
                    .isNotEmpty()
                    .allMatch(volume -> volume.firstClaim().isEmpty()
                            && volume.owner().isEmpty()
                            && volume.formerKey().isEmpty());
            assertThat(read.snapshot().requestedClaims())
                    .isNotEmpty()
                    .allSatisfy(requested -> assertThat(requested.requests())
                            .allMatch(request -> request.template().isEmpty()));
            // A state without such volumes has the bytes that it had before, so its digest is the same.
            assertThat(StateEncodingTest.encode(rich)).isEqualTo(file("format-3-before-templates.state.base64"));
        }
    }

    @Test
    void volumesFromFormatBeforeSharingAreReadAsUnshared() throws IOException {
        try (StateStore store = store()) {
            StateEncodingTest.restore(store, file("format-2-before-sharing.state.base64"));
            Volume full = store.snapshot().volume(RichState.FULL).orElseThrow();
            assertThat(full.spec().secrets().asMap()).isEqualTo(RichState.SECRET);
            assertThat(full.spec().sharedWith()).isEmpty();
            assertThat(full.usableIn(RichState.FULL.namespace())).isTrue();
        }
    }

    @Test
    void pluginsFromFormatBeforeProviderOverridesAreReadWithoutOverride() throws IOException {
        try (StateStore store = store()) {
            StateEncodingTest.restore(store, file("format-3-before-leftovers.state.base64"));
            PluginFacts facts = store.snapshot().facts(PluginId.of("p1")).orElseThrow();
            assertThat(facts.provider()).contains("example.com");
            assertThat(facts.providerOverride()).isEmpty();
        }
    }

    @Test
    void nodesAndClaimsFromBeforeLedgersAreSettled() throws IOException {
        try (StateStore store = store()) {
            StateEncodingTest.restore(store, file("format-3-before-ledgers.state.base64"));
            assertThat(store.snapshot().nodes())
                    .isNotEmpty()
                    .allSatisfy(node -> assertThat(node.ledger()).isEqualTo(NodeLedger.settled()));
            assertThat(store.snapshot().unsettledNodes()).isEmpty();
            assertThat(store.snapshot().volume(RichState.FULL).orElseThrow().claims())
                    .isNotEmpty()
                    .noneMatch(Claim::adopted);
        }
    }

    @Test
    void reportFromBeforeMachineIdsIsReadWithoutMachine() throws IOException {
        try (StateStore store = store()) {
            StateEncodingTest.restore(store, file("format-3-before-machine-ids.state.base64"));
            assertThat(store.snapshot().node(NodeId.of("n4")).orElseThrow().ledger())
                    .isEqualTo(new NodeLedger(8, List.of(RichState.report())));
        }
    }

    /** Checks that the file uses each field, because a changed meaning of an unused field would not be detected. */
    @Test
    void fixtureFileUsesEveryField() {
        try (StateStore rich = StateEncodingTest.rich(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)))) {
            Tables tables = ((StateSnapshot) rich.snapshot()).tables();
            Set<String> used = new TreeSet<>();
            each(tables.rows(RowType.FACTS).cursor(), row -> use(used, Rows.facts(row)));
            each(tables.rows(RowType.DEPLOYMENTS).cursor(), row -> use(used, Rows.deployment(row)));
            each(tables.rows(RowType.NODES).cursor(), row -> use(used, Rows.node(row)));
            each(tables.rows(RowType.ALLOCATIONS).cursor(), row -> use(used, Rows.allocation(row)));
            each(tables.rows(RowType.INSTANCES).cursor(), row -> use(used, Rows.instance(row)));
            use(used, Rows.instance(RichState.unproved()));
            VolumeToProto volumes = new VolumeToProto(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)));
            each(tables.volumes.cursor(), row -> use(used, volumes.volume(row)));
            each(tables.rows(RowType.LEFTOVERS).cursor(), row -> use(used, Rows.leftover(row)));
            each(tables.rows(RowType.WITHDRAWN_CREATIONS).cursor(), row -> use(used, Rows.withdrawnCreation(row)));
            Rows rows = Rows.writing(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)));
            each(tables.rows(RowType.REQUESTED_CLAIMS).cursor(), row -> use(used, rows.requestedClaims(row)));
            each(tables.rows(RowType.ACCESS_TOKENS).cursor(), row -> use(used, AccessTokens.token(row)));
            each(tables.rows(RowType.REFUSED_CREATIONS).cursor(), row -> use(used, RefusedCreations.creation(row)));
            each(tables.rows(RowType.VOLUME_CLASSES).cursor(), row -> use(used, rows.volumeClass(row)));
            each(tables.rows(RowType.QUOTAS).cursor(), row -> use(used, Quotas.quota(row)));
            each(tables.rows(RowType.PLUGIN_PROFILES).cursor(), row -> use(used, PluginProfiles.profile(row)));
            each(tables.rows(RowType.SNAPSHOTS).cursor(), row -> use(used, rows.snapshot(row)));
            each(tables.rows(RowType.RESTORES).cursor(), row -> use(used, Verifications.restore(row)));
            // Also counts the fields of the encrypted values, which are in no other message.
            each(tables.volumes.cursor(), row -> use(used, VolumeToProto.confidentialValues(row)));
            Set<String> all = new TreeSet<>();
            for (Descriptor row : List.of(
                    StateProto.PluginFacts.getDescriptor(),
                    StateProto.PluginDeployment.getDescriptor(),
                    StateProto.Node.getDescriptor(),
                    StateProto.Allocation.getDescriptor(),
                    StateProto.PluginInstance.getDescriptor(),
                    StateProto.Volume.getDescriptor(),
                    StateProto.Leftover.getDescriptor(),
                    StateProto.WithdrawnCreation.getDescriptor(),
                    StateProto.RequestedClaims.getDescriptor(),
                    StateProto.AccessToken.getDescriptor(),
                    StateProto.RefusedCreation.getDescriptor(),
                    StateProto.VolumeClass.getDescriptor(),
                    StateProto.Quota.getDescriptor(),
                    StateProto.PluginProfile.getDescriptor(),
                    StateProto.VolumeSnapshot.getDescriptor(),
                    StateProto.StateRestore.getDescriptor(),
                    StateProto.Confidential.getDescriptor())) {
                fields(all, row);
            }
            // This field is only read, in files of format 2 and earlier formats.
            assertThat(all.remove("csi4j.state.v1.VolumeSpec.secrets")).isTrue();
            assertThat(all).hasSizeGreaterThan(100);
            assertThat(used).containsExactlyElementsOf(all);
        }
    }

    private static <R> void each(Cursor<?, R> rows, java.util.function.Consumer<R> use) {
        while (rows.hasNext()) {
            use.accept(rows.next());
        }
    }

    private static void use(Set<String> used, Message message) {
        message.getAllFields().forEach((field, value) -> {
            used.add(field.getFullName());
            for (Object one : value instanceof Collection<?> several ? several : List.of(value)) {
                if (one instanceof Message inner) {
                    use(used, inner);
                }
            }
        });
    }

    /** Collects the fields of a message; fields from number 100 on belong to format 1 only. */
    private static void fields(Set<String> all, Descriptor message) {
        for (FieldDescriptor field : message.getFields()) {
            if (field.getNumber() < 100
                    && all.add(field.getFullName())
                    && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                fields(all, field.getMessageType());
            }
        }
    }

    @Test
    void stateInOldestFormatIsRestoredAndRepaired() throws IOException {
        try (StateStore store = store()) {
            assertThat(StateEncodingTest.restore(store, file("format-1.state.base64")))
                    .isEqualTo(9);
            Volume volume = store.snapshot().volume(Cluster.key("v")).orElseThrow();
            RequestedCapability shared = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
            assertThat(volume.spec().requestedCapabilities()).containsExactly(shared);
            assertThat(volume.claims())
                    .containsExactly(
                            claim("a1", "n1", ClaimMode.READ, ClaimState.TAKEN),
                            claim("a2", "n2", ClaimMode.WRITE, ClaimState.TAKEN),
                            claim("a3", "n3", ClaimMode.WRITE, ClaimState.NODE_DETACHED));
            assertThat(store.apply(Cluster.register("next", "p")).accepted()).isTrue();
        }
    }

    private static Claim claim(String allocation, String node, ClaimMode mode, ClaimState state) {
        return Claim.builder(
                        AllocationId.of(allocation),
                        NodeId.of(node),
                        mode,
                        RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER))
                .state(state)
                .createIndex(5)
                .build();
    }
}
