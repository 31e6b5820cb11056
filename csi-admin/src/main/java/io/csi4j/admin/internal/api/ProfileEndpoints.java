package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.KnownPlugins.Known;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.state.StateScope;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The profiles of plugins that were made for another orchestrator. */
public final class ProfileEndpoints {
    private static final String MANAGEMENT = "MANAGEMENT";
    private static final String PATH = "/v1/plugins/{plugin}/profile";
    private static final String WORKLOAD_INFO =
            "Whether NodePublishVolume says in its volume context for which workload it is.";
    private static final String EXTRA_METADATA =
            "Whether CreateVolume says in its parameters for which volume of the host it is.";
    private static final String SNAPSHOT_METADATA =
            "Whether CreateSnapshot says in its parameters for which snapshot of the host it is.";
    private static final String SECURITY_LABEL =
            "Whether the plugin mounts a volume with the security label of a request.";

    private static final String OWNERSHIP_FIXED =
            "Whether nodes change no owner, group or mode of files. A mount with a volume mount group then fails,"
                    + " unless the plugin has VOLUME_MOUNT_GROUP.";
    private static final String OWNERSHIP_EXCLUDES =
            "The names of the entries of a volume's root directory that nodes neither change nor enter when they give its"
                    + " files to a group; no patterns.";

    private static final String REPUBLISH_INTERVAL =
            "The longest time from one successful NodePublishVolume of a mounted volume to the next.";
    private static final String TOKEN_AUDIENCES = "The audiences of the tokens that NodePublishVolume contains.";
    private static final String TOKEN_EXPIRY = "The life of the tokens that the issuer is asked for.";
    private static final String TOKEN_DELIVERY = "The field of NodePublishVolume that contains the tokens.";
    private static final String TOKENS_ONLY_AT_MOUNT =
            "Whether the plugin needs the tokens for the mount only, so that they may run out afterwards.";
    private static final String CALLS_IN_FLIGHT =
            "The number of controller calls that the plugin may have in flight; absent: as the options of the engine say.";
    private static final String CALLS_PER_VOLUME =
            "The number of nodes to which one volume may be published at the same time; 1 unless given.";
    private static final String CONTROLLERS_BY_PLACE = "Whether each controller serves only the volumes of its node.";
    private static final String NOT_FOUND_AS_DONE =
            "Whether NOT_FOUND of ControllerUnpublishVolume and DeleteVolume counts as success. If the plugin answers it"
                    + " for a volume that exists, data may be lost.";
    private static final String CALL_RULES =
            "Rules that differ from CSI: RPC, code, outcome, repeat and reason, separated by spaces.";

    private static final Shape<Listed> SHAPE = Shape.<Listed>of("PluginProfile", "What a plugin needs beyond CSI.")
            .text("plugin", "The plugin.", listed -> listed.profile().pluginId().value())
            .column()
            .flag("workloadInfo", WORKLOAD_INFO, listed -> listed.profile().workloadInfo())
            .column()
            .flag("extraMetadata", EXTRA_METADATA, listed -> listed.profile().extraMetadata())
            .column()
            .flag(
                    "snapshotMetadata",
                    SNAPSHOT_METADATA,
                    listed -> listed.profile().snapshotMetadata())
            .flag("securityLabel", SECURITY_LABEL, listed -> listed.profile().securityLabel())
            .column()
            .flag(
                    "ownershipFixed",
                    OWNERSHIP_FIXED,
                    listed -> listed.profile().ownership().fixed())
            .column()
            .texts(
                    "ownershipExcludes",
                    OWNERSHIP_EXCLUDES,
                    listed -> listed.profile().ownership().excludes())
            .seconds(
                    "republishInterval",
                    REPUBLISH_INTERVAL + " Absent: the volume is published once.",
                    listed -> listed.republish().repeats() ? listed.republish().interval() : null)
            .optional()
            .column()
            .texts(
                    "tokenAudiences",
                    TOKEN_AUDIENCES,
                    listed -> listed.republish().audiences())
            .column()
            .seconds(
                    "tokenExpiry",
                    TOKEN_EXPIRY + " Absent: the issuer decides.",
                    listed -> listed.republish().tokenExpiry().orElse(null))
            .optional()
            .choice(
                    "tokenDelivery",
                    TOKEN_DELIVERY + " Absent: there are no tokens.",
                    RepublishOptions.Delivery.class,
                    listed ->
                            listed.republish().hasTokens() ? listed.republish().delivery() : null)
            .optional()
            .flag(
                    "tokensOnlyAtMount",
                    TOKENS_ONLY_AT_MOUNT,
                    listed -> listed.republish().onlyAtMount())
            .number("callsInFlight", CALLS_IN_FLIGHT, listed -> {
                int calls = listed.profile().calls().callsInFlight();
                return calls == 0 ? null : calls;
            })
            .optional()
            .column()
            .number(
                    "callsPerVolume",
                    CALLS_PER_VOLUME,
                    listed -> listed.profile().calls().callsPerVolume())
            .column()
            .flag(
                    "controllersByPlace",
                    CONTROLLERS_BY_PLACE,
                    listed -> listed.profile().calls().controllersByPlace())
            .flag(
                    "notFoundAsDone",
                    NOT_FOUND_AS_DONE,
                    listed -> listed.profile().calls().rules().notFoundAsDone())
            .texts(
                    "callRules",
                    CALL_RULES,
                    listed -> CallRuleTexts.of(listed.profile().calls().rules()))
            .number(
                    "createIndex",
                    "The index of the command that added it; absent for a known plugin.",
                    listed -> listed.index(PluginProfile::createIndex))
            .optional()
            .number(
                    "modifyIndex",
                    "The revision: the index of the last command that changed it; absent for a known plugin.",
                    listed -> listed.index(PluginProfile::modifyIndex))
            .optional()
            .column("REVISION")
            .text("facts", "Of a known plugin: what csi4j has no field for.", listed -> listed.known(Known::facts))
            .optional()
            .column()
            .texts(
                    "drivers",
                    "Of a known plugin: the names of the driver; * stands for any text.",
                    listed -> listed.from().map(Known::names).orElse(List.of()))
            .text(
                    "source",
                    "Of a known plugin: the repository, file and commit of its manifest.",
                    listed -> listed.known(Known::source))
            .optional()
            .text("date", "Of a known plugin: the date of that commit.", listed -> listed.known(Known::date))
            .optional()
            .column("AS OF")
            .build();

    /** A profile of the state, or a known plugin. */
    private record Listed(PluginProfile profile, Optional<Known> from) {
        private RepublishOptions republish() {
            return profile.republish();
        }

        private @Nullable Long index(ToLongFunction<PluginProfile> index) {
            return from.isPresent() ? null : index.applyAsLong(profile);
        }

        private @Nullable String known(Function<Known, String> fact) {
            return from.map(fact).filter(text -> !text.isEmpty()).orElse(null);
        }
    }

    private ProfileEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(list(), put(), remove());
    }

    private static Endpoint list() {
        return Endpoint.get("plugin profile list", "/v1/plugin-profiles", "List the profiles of plugins")
                .description("With known, lists what public plugins say of themselves instead. It is applied by plugin"
                        + " profile put only.")
                .with(
                        Filters.flag("known", "Lists known plugins instead of the profiles."),
                        Parameter.query(
                                "plugin",
                                Parameter.Type.TEXT,
                                "With known: lists only those that fit the driver name that this plugin reported."))
                .needs("PLUGIN_READ")
                .waitsFor(call -> StateScope.of(StateScope.Table.PLUGINS))
                .pages(
                        SHAPE,
                        (call, after, limit) -> call.values().flag("known")
                                ? known(call, after, limit)
                                : Futures.map(
                                        call.operations().cluster().pluginProfiles(after.map(PluginId::of), limit),
                                        page -> new Page<>(
                                                page.items().stream()
                                                        .map(row -> new Listed(row, Optional.empty()))
                                                        .toList(),
                                                page.next().map(PluginId::value))));
    }

    /** Returns a page of the known plugins, or of those that fit the plugin of the request. */
    private static CompletableFuture<Page<Listed>> known(Call call, Optional<String> after, int limit) {
        Optional<PluginId> plugin = call.values().maybe("plugin", PluginId::of);
        if (plugin.isEmpty()) {
            // Also checks the permission to read profiles.
            return Futures.map(
                    call.operations().cluster().pluginProfiles(Optional.empty(), 1),
                    page -> known(KnownPlugins.all(), after, limit));
        }
        return Futures.map(reported(call.operations(), plugin.get()), view -> {
            String driver = view.flatMap(PluginView::provider)
                    .orElseThrow(() -> new BadRequestException(
                            "plugin",
                            "is " + plugin.get() + ", whose driver has not reported its name",
                            "wait until an instance of it has answered"));
            return known(
                    KnownPlugins.all().stream()
                            .filter(known -> known.fits(driver))
                            .toList(),
                    after,
                    limit);
        });
    }

    private static CompletableFuture<Optional<PluginView>> reported(CallerOperations operations, PluginId plugin) {
        return Futures.map(operations.operator().plugin(plugin), report -> report.map(PluginReport::plugin));
    }

    private static Page<Listed> known(List<Known> all, Optional<String> after, int limit) {
        List<Known> rest = all.stream()
                .filter(known ->
                        after.filter(last -> known.name().compareTo(last) <= 0).isEmpty())
                .toList();
        List<Known> shown = rest.subList(0, Math.min(limit, rest.size()));
        return new Page<>(
                shown.stream()
                        .map(known -> new Listed(known.profile(), Optional.of(known)))
                        .toList(),
                shown.size() < rest.size()
                        ? Optional.of(shown.get(shown.size() - 1).name())
                        : Optional.empty());
    }

    private static Endpoint put() {
        return Endpoint.put("plugin profile put", PATH, "Say what a plugin needs beyond CSI")
                .description("The request replaces all values of the profile. Volumes that exist and mounts that were"
                        + " requested keep the requests that they have.")
                .with(
                        ActionFields.PLUGIN,
                        Parameter.body(
                                "known",
                                Parameter.Type.TEXT,
                                "The name of a known plugin, whose profile is put; the other fields add to it."),
                        Parameter.body(
                                "force",
                                Parameter.Type.FLAG,
                                "Puts the profile of the known plugin although the plugin reported another driver name."),
                        Parameter.body("workloadInfo", Parameter.Type.FLAG, WORKLOAD_INFO),
                        Parameter.body("extraMetadata", Parameter.Type.FLAG, EXTRA_METADATA),
                        Parameter.body("snapshotMetadata", Parameter.Type.FLAG, SNAPSHOT_METADATA),
                        Parameter.body("securityLabel", Parameter.Type.FLAG, SECURITY_LABEL),
                        Parameter.body("ownershipFixed", Parameter.Type.FLAG, OWNERSHIP_FIXED),
                        Parameter.body("ownershipExcludes", Parameter.Type.TEXTS, OWNERSHIP_EXCLUDES),
                        Parameter.body(
                                "republishInterval",
                                Parameter.Type.SECONDS,
                                REPUBLISH_INTERVAL + " At least 30 seconds; without it, the volume is published once."),
                        Parameter.body(
                                "tokenAudiences",
                                Parameter.Type.TEXTS,
                                TOKEN_AUDIENCES + " They need a republishInterval, or tokensOnlyAtMount."),
                        Parameter.body(
                                "tokenExpiry",
                                Parameter.Type.SECONDS,
                                TOKEN_EXPIRY + " Without it, the issuer decides."),
                        Parameter.body(
                                "tokenDelivery",
                                RepublishOptions.Delivery.class,
                                TOKEN_DELIVERY + " Without it, the secrets."),
                        Parameter.body("tokensOnlyAtMount", Parameter.Type.FLAG, TOKENS_ONLY_AT_MOUNT),
                        Parameter.body("callsInFlight", Parameter.Type.NUMBER, CALLS_IN_FLIGHT),
                        Parameter.body("callsPerVolume", Parameter.Type.NUMBER, CALLS_PER_VOLUME),
                        Parameter.body("controllersByPlace", Parameter.Type.FLAG, CONTROLLERS_BY_PLACE),
                        Parameter.body("notFoundAsDone", Parameter.Type.FLAG, NOT_FOUND_AS_DONE),
                        Parameter.body("callRules", Parameter.Type.TEXTS, CALL_RULES),
                        Parameter.body(
                                "ifModifyIndex",
                                Parameter.Type.NUMBER,
                                "Refuses the request unless this is the modifyIndex of the profile."))
                .needs(MANAGEMENT)
                .action(call -> {
                    long index = call.values().number("ifModifyIndex").orElse(0);
                    if (index < 0) {
                        throw new BadRequestException(
                                "ifModifyIndex", "is " + index, "use the modifyIndex of the profile");
                    }
                    PluginProfile profile = profile(call.values());
                    return fitting(call.operations(), call.values())
                            .thenCompose(checked -> call.operations().cluster().putPluginProfile(profile, index));
                });
    }

    /** Fails if the request names a known plugin and the plugin reported the name of another driver. */
    private static CompletableFuture<Void> fitting(CallerOperations operations, Values values) {
        Optional<Known> known = values.maybe("known", ProfileEndpoints::known);
        if (known.isEmpty() || values.flag("force")) {
            return CompletableFuture.completedFuture(null);
        }
        PluginId plugin = ActionFields.plugin(values);
        return reported(operations, plugin)
                .thenAccept(view -> view.flatMap(PluginView::provider)
                        .filter(driver -> !known.get().fits(driver))
                        .ifPresent(driver -> {
                            throw new BadRequestException(
                                    "known",
                                    "is " + known.get().name() + ", and plugin " + plugin + " reported the driver "
                                            + driver
                                            + view.flatMap(PluginView::vendorVersion)
                                                    .map(version -> " " + version)
                                                    .orElse(""),
                                    "see csi plugin profile list --known --plugin " + plugin
                                            + ", or put it with --force if this driver reads the same keys");
                        }));
    }

    private static Known known(String name) {
        return KnownPlugins.find(name)
                .orElseThrow(() -> new BadRequestException(
                        "known",
                        "is no known plugin",
                        "see csi plugin profile list --known, or give the values yourself"));
    }

    private static CallSettings calls(Values values) {
        CallRules rules = CallRuleTexts.read("callRules", values.texts("callRules"));
        return CallSettings.builder()
                .callsInFlight(count(values, "callsInFlight", 0))
                .callsPerVolume(count(values, "callsPerVolume", 1))
                .controllersByPlace(values.flag("controllersByPlace"))
                .rules(values.flag("notFoundAsDone") ? rules.withNotFoundAsDone() : rules)
                .build();
    }

    private static int count(Values values, String field, int absent) {
        OptionalLong number = values.number(field);
        if (number.isPresent() && (number.getAsLong() < 1 || number.getAsLong() > Integer.MAX_VALUE)) {
            throw new BadRequestException(
                    field, "is " + number.getAsLong(), "use 1 to " + Integer.MAX_VALUE + ", or leave it out");
        }
        return (int) number.orElse(absent);
    }

    /** Returns the profile of a request: the values of the known plugin, and above them those of the request. */
    private static PluginProfile profile(Values values) {
        PluginProfile.Builder profile = PluginProfile.builder(ActionFields.plugin(values));
        values.maybe("known", ProfileEndpoints::known).ifPresent(known -> known.addTo(profile));
        if (values.flag("workloadInfo")) {
            profile.workloadInfo(true);
        }
        if (values.flag("extraMetadata")) {
            profile.extraMetadata(true);
        }
        if (values.flag("snapshotMetadata")) {
            profile.snapshotMetadata(true);
        }
        if (values.flag("securityLabel")) {
            profile.securityLabel(true);
        }
        if (values.flag("ownershipFixed")) {
            profile.ownershipFixed(true);
        }
        if (!values.texts("ownershipExcludes").isEmpty()) {
            profile.ownershipExcludes(values.texts("ownershipExcludes"));
        }
        values.duration("republishInterval").ifPresent(profile::republishInterval);
        if (!values.texts("tokenAudiences").isEmpty()) {
            profile.tokenAudiences(values.texts("tokenAudiences"));
        }
        values.duration("tokenExpiry").ifPresent(profile::tokenExpiry);
        values.maybeChoice("tokenDelivery", RepublishOptions.Delivery.class).ifPresent(profile::tokenDelivery);
        if (values.flag("tokensOnlyAtMount")) {
            profile.tokensOnlyAtMount(true);
        }
        return profile.calls(calls(values)).build();
    }

    private static Endpoint remove() {
        return Endpoint.delete("plugin profile remove", PATH, "Remove the profile of a plugin")
                .description("New requests to the plugin have the fields of CSI only.")
                .with(ActionFields.PLUGIN)
                .needs(MANAGEMENT)
                .destroys()
                .action(call -> call.operations().cluster().removePluginProfile(ActionFields.plugin(call.values())));
    }
}
