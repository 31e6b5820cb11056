package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.PluginProfileEvent;
import io.csi4j.core.state.ListPage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PluginProfilesTest {
    private static final PluginId OTHER = PluginId.of("other");

    private final VolumeRig rig = VolumeRig.started();
    private final Cluster cluster = rig.engine().cluster();

    private static PluginProfile profile(PluginId plugin, boolean workloadInfo) {
        return PluginProfile.builder(plugin)
                .workloadInfo(workloadInfo)
                .extraMetadata(true)
                .build();
    }

    private PluginProfile known(PluginId plugin) {
        return rig.done(cluster.pluginProfile(plugin)).orElseThrow();
    }

    @Test
    void replacedProfileKeepsItsIncarnationAndGetsANewRevision() {
        assertThat(rig.done(cluster.pluginProfile(OTHER))).isEmpty();
        rig.done(cluster.putPluginProfile(profile(OTHER, false), 0));
        PluginProfile first = known(OTHER);
        assertThat(first.workloadInfo()).isFalse();
        rig.done(cluster.putPluginProfile(profile(OTHER, false), 0));
        assertThat(known(OTHER)).isEqualTo(first);
        rig.done(cluster.putPluginProfile(profile(OTHER, true), first.modifyIndex()));
        PluginProfile second = known(OTHER);
        assertThat(second.createIndex()).isEqualTo(first.createIndex());
        assertThat(second.modifyIndex()).isGreaterThan(first.modifyIndex());
        assertThat(second.sameValues(profile(OTHER, true))).isTrue();
        rig.done(cluster.removePluginProfile(OTHER));
        assertThat(rig.done(cluster.pluginProfile(OTHER))).isEmpty();
        // A removal that is applied late does not remove the next profile of this plugin.
        rig.done(cluster.putPluginProfile(profile(OTHER, true), 0));
        rig.done(rig.log.submit(
                new PluginProfileCommand.RemovePluginProfile(OTHER, first.createIndex(), Instant.EPOCH)));
        assertThat(rig.done(cluster.pluginProfile(OTHER))).isPresent();
    }

    @Test
    void changeOfAnOldRevisionIsRefusedAndSaysWhatToDo() {
        rig.done(cluster.putPluginProfile(profile(OTHER, true), 0));
        long revision = known(OTHER).modifyIndex();
        Rejection refused = rig.failed(
                        cluster.putPluginProfile(profile(OTHER, false), revision + 7), RejectedException.class)
                .reason();
        assertThat(refused).isEqualTo(new Rejection.PluginProfileChanged(OTHER, revision + 7, revision));
        assertThat(refused.message())
                .isEqualTo("the profile of plugin other was changed at index " + revision
                        + ", and the request expects index " + (revision + 7) + "; read the profile again and repeat");
        assertThat(rig.failed(cluster.putPluginProfile(profile(PluginId.of("none"), true), 3), RejectedException.class)
                        .reason()
                        .message())
                .contains("does not exist");
    }

    @Test
    void profileThatChangesNothingIsRefusedOnEachWay() {
        PluginProfile empty = PluginProfile.builder(OTHER).build();
        assertThat(rig.failed(cluster.putPluginProfile(empty, 0), CsiRequestException.class)
                        .problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.field()).isEqualTo("profile"));
        rig.done(cluster.putPluginProfile(profile(OTHER, true), 0));
        rig.failed(
                rig.engine()
                        .log()
                        .submit(new PluginProfileCommand.PutPluginProfile(empty, 0, Instant.EPOCH))
                        .thenAccept(outcome -> assertThat(outcome.accepted()).isTrue()),
                AssertionError.class);
        assertThat(known(OTHER).workloadInfo()).isTrue();
    }

    @Test
    void removalOfAProfileThatIsNotThereIsRefused() {
        assertThat(rig.failed(cluster.removePluginProfile(OTHER), CsiRequestException.class)
                        .getMessage())
                .contains("has no profile", "list the profiles");
    }

    @Test
    void profilesAreListedInPages() {
        for (String id : List.of("c", "a", "b")) {
            rig.done(cluster.putPluginProfile(profile(PluginId.of(id), true), 0));
        }
        ListPage<PluginProfile, PluginId> first = rig.done(cluster.pluginProfiles(Optional.empty(), 2));
        assertThat(first.items()).extracting(row -> row.pluginId().value()).containsExactly("a", "b");
        ListPage<PluginProfile, PluginId> second = rig.done(cluster.pluginProfiles(first.next(), 2));
        assertThat(second.items()).extracting(row -> row.pluginId().value()).containsExactly("c");
        assertThat(second.next()).isEmpty();
    }

    @Test
    void readingNeedsPluginReadAndChangingManagement() {
        rig.access = (principal, access) ->
                !principal.getName().equals("eve") || access.equals(Access.of(Permission.PLUGIN_READ));
        VolumeLifecycle host = rig.engine();
        rig.done(host.cluster().putPluginProfile(profile(OTHER, true), 0));
        Cluster eve = host.as(() -> "eve").cluster();
        assertThat(rig.done(eve.pluginProfile(OTHER))).isPresent();
        assertThat(rig.done(eve.pluginProfiles(Optional.empty(), 5)).items()).hasSize(1);
        rig.failed(eve.putPluginProfile(profile(OTHER, false), 0), AccessDeniedException.class);
        rig.failed(eve.removePluginProfile(OTHER), AccessDeniedException.class);
    }

    @Test
    void eachChangeIsAnEvent() {
        List<PluginProfileEvent> events = new ArrayList<>();
        rig.listener = new EventListener() {
            @Override
            public void pluginProfileChanged(PluginProfileEvent event) {
                assertThat(event.pluginId()).isEqualTo(OTHER);
                events.add(event);
            }
        };
        Cluster reported = rig.engine().cluster();
        rig.done(reported.putPluginProfile(profile(OTHER, true), 0));
        rig.done(reported.putPluginProfile(profile(OTHER, true), 0));
        rig.done(reported.putPluginProfile(profile(OTHER, false), 0));
        rig.done(reported.removePluginProfile(OTHER));
        rig.run();
        assertThat(events)
                .extracting(PluginProfileEvent::change)
                .containsExactly(
                        PluginProfileEvent.Change.ADDED,
                        PluginProfileEvent.Change.REPLACED,
                        PluginProfileEvent.Change.REMOVED);
    }

    private static PluginProfile.Builder withTokens() {
        return PluginProfile.builder(OTHER).tokenAudiences(List.of("sts.example.com", ""));
    }

    private static Stream<Arguments> refusedProfiles() {
        Duration minutes = Duration.ofMinutes(10);
        return Stream.of(
                Arguments.of("tokenAudiences", withTokens(), "run out while the volume is mounted"),
                Arguments.of(
                        "tokensOnlyAtMount",
                        withTokens().republishInterval(minutes).tokensOnlyAtMount(true),
                        "contradicts"),
                Arguments.of(
                        "tokensOnlyAtMount", PluginProfile.builder(OTHER).tokensOnlyAtMount(true), "no tokenAudiences"),
                Arguments.of(
                        "tokenExpiry",
                        PluginProfile.builder(OTHER).republishInterval(minutes).tokenExpiry(minutes),
                        "no tokenAudiences"),
                Arguments.of(
                        "tokenExpiry",
                        withTokens().republishInterval(minutes).tokenExpiry(Duration.ofSeconds(59)),
                        "is PT59S"),
                Arguments.of(
                        "republishInterval",
                        PluginProfile.builder(OTHER).republishInterval(Duration.ofMillis(29_999)),
                        "is PT29.999S"),
                Arguments.of(
                        "republishInterval",
                        PluginProfile.builder(OTHER).republishInterval(Duration.ofSeconds(-60)),
                        "is PT-1M"),
                Arguments.of(
                        "republishInterval",
                        PluginProfile.builder(OTHER).republishInterval(Duration.ofDays(31)),
                        "is PT744H"),
                Arguments.of(
                        "tokenAudiences",
                        withTokens().tokensOnlyAtMount(true).tokenAudiences(List.of("a", "a")),
                        "one audience twice"),
                Arguments.of(
                        "tokenAudiences",
                        withTokens().tokensOnlyAtMount(true).tokenAudiences(List.of("a b")),
                        "with a space"),
                Arguments.of(
                        "tokenAudiences",
                        withTokens().tokensOnlyAtMount(true).tokenAudiences(List.of("x".repeat(257))),
                        "more than 256 characters"),
                Arguments.of(
                        "tokenAudiences",
                        withTokens().tokensOnlyAtMount(true).tokenAudiences(List.of("1 2 3 4 5 6 7 8 9".split(" "))),
                        "are 9"));
    }

    @ParameterizedTest
    @MethodSource("refusedProfiles")
    void tokensAndRepublishThatCannotWorkAreRefusedWithTheField(
            String field, PluginProfile.Builder profile, String problem) {
        assertThat(rig.failed(cluster.putPluginProfile(profile.build(), 0), CsiRequestException.class)
                        .problems())
                .anySatisfy(found -> {
                    assertThat(found.field()).isEqualTo(field);
                    assertThat(found.problem()).contains(problem);
                    assertThat(found.remedy()).isNotEmpty();
                });
        assertThat(rig.done(cluster.pluginProfile(OTHER))).isEmpty();
    }

    @Test
    void profileKeepsItsRepublishOptions() {
        PluginProfile renewed = withTokens()
                .republishInterval(Duration.ofSeconds(30))
                .tokenExpiry(Duration.ofHours(1))
                .tokenDelivery(RepublishOptions.Delivery.VOLUME_CONTEXT)
                .build();
        rig.done(cluster.putPluginProfile(renewed, 0));
        assertThat(known(OTHER).sameValues(renewed)).isTrue();
        assertThat(known(OTHER).republish().hasTokens()).isTrue();
        PluginProfile once = withTokens().tokensOnlyAtMount(true).build();
        rig.done(cluster.putPluginProfile(once, 0));
        assertThat(known(OTHER).republish())
                .isEqualTo(new RepublishOptions(
                        Duration.ZERO,
                        List.of("sts.example.com", ""),
                        Optional.empty(),
                        RepublishOptions.Delivery.SECRETS,
                        true));
    }
}
