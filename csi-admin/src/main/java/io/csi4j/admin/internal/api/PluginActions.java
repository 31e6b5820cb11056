package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.Drift;
import io.csi4j.core.lifecycle.OrphanedVolumes;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The actions on plugins, their deployments, and volumes that only the provider knows. */
public final class PluginActions {
    private static final String PATH = "/v1/plugins/{plugin}";
    private static final String DEPLOYMENT = "/v1/deployments/{namespace}/{deployment}";
    private static final String ORPHAN = PATH + "/orphans/{externalVolumeId}";
    private static final String MANAGEMENT = "MANAGEMENT";

    private static final Shape<Drift> DRIFT = Shape.<Drift>of(
                    "Drift", "An attachment that only the state or only the provider has.")
            .choice("kind", "The direction of the difference.", DriftEvent.Kind.class, Drift::kind)
            .column()
            .text(
                    "namespace",
                    "The namespace of the volume.",
                    drift -> drift.volume().namespace().value())
            .column()
            .text("volume", "The volume.", drift -> drift.volume().volumeId().value())
            .column()
            .text(
                    "externalVolumeId",
                    "The provider's id of the volume.",
                    drift -> drift.externalVolumeId().value())
            .text(
                    "externalNodeId",
                    "The provider's id of the node.",
                    drift -> drift.externalNodeId().value())
            .column("EXTERNAL NODE")
            .choice(
                    "repair",
                    "The result of the repair, if there was one: DONE, the provider confirmed it; BEGUN, the detachment"
                            + " continues as a release; OVERTAKEN, the volume changed meanwhile, so nothing was repaired"
                            + " here: the next comparison shows whether something is left; FAILED, the next comparison"
                            + " tries again.",
                    Drift.Repair.class,
                    Drift::repair)
            .optional()
            .column()
            .build();

    /** The differences. */
    record Drifts(List<Drift> drifts) {}

    private static final Shape<Drifts> DRIFTS = Shape.<Drifts>of(
                    "Reconciliation", "The differences between the state and the provider.")
            .objects("drifts", "The differences.", DRIFT, Drifts::drifts)
            .build();

    private PluginActions() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(
                reconcile(),
                waitFor(),
                setProvider(),
                delete(),
                adopt(),
                deleteOrphan(),
                declareDeployment(),
                removeDeployment());
    }

    private static Endpoint reconcile() {
        return Endpoint.post(
                        "plugin reconcile", PATH + "/reconcile", "Compare the attachments with those of the provider")
                .description("Repairs the differences; a dry run only reports them.")
                .with(ActionFields.PLUGIN, ActionFields.DRY_RUN)
                .needs(MANAGEMENT)
                .continues("No further call is made. Repairs that were begun are finished by the leader.")
                .action(
                        DRIFTS,
                        call -> Futures.map(
                                call.operations()
                                        .operator()
                                        .reconcile(
                                                ActionFields.plugin(call.values()),
                                                !call.values().flag("dryRun")),
                                Drifts::new));
    }

    private static Endpoint waitFor() {
        return Endpoint.post("plugin wait", PATH + "/wait", "Wait until volumes of a plugin can be claimed")
                .with(
                        ActionFields.PLUGIN,
                        Parameter.body(
                                "limit", Parameter.Type.SECONDS, "The longest time to wait; 60 if it is not given."))
                .needs("PLUGIN_READ")
                .continues("Nothing continues.")
                .action(call -> Futures.map(
                        call.operations()
                                .operator()
                                .waitForPlugin(
                                        ActionFields.plugin(call.values()),
                                        call.values().duration("limit").orElse(Duration.ofSeconds(60))),
                        PluginActions::none));
    }

    /** The result of an operation without one. */
    @SuppressWarnings("NullAway") // The only value of Void.
    private static Void none(Object done) {
        return null;
    }

    private static Endpoint setProvider() {
        return Endpoint.put(
                        "plugin set-provider", PATH + "/provider", "State which driver a plugin's volumes belong to")
                .description("Instances with this name are called from then on, others are not. A wrong name sends"
                        + " calls to a driver that does not know the volumes, and such a driver may confirm a deletion"
                        + " that it did not make.")
                .with(
                        ActionFields.PLUGIN,
                        Parameter.body("provider", Parameter.Type.TEXT, "The name from GetPluginInfo.")
                                .needed(),
                        ActionFields.REASON)
                .needs(MANAGEMENT)
                .destroys()
                .action(call -> call.operations()
                        .operator()
                        .setProvider(
                                ActionFields.plugin(call.values()),
                                call.values().text("provider"),
                                ActionFields.reason(call.values())));
    }

    private static Endpoint delete() {
        return Endpoint.delete("plugin delete", PATH, "Remove a plugin from the state")
                .description("Refused while the plugin has an instance, a deployment that expects one, or a volume.")
                .with(ActionFields.PLUGIN)
                .needs(MANAGEMENT)
                .destroys()
                .action(call -> call.operations().operator().deletePlugin(ActionFields.plugin(call.values())));
    }

    private static Parameter[] orphan() {
        return new Parameter[] {
            ActionFields.PLUGIN,
            Parameter.path("externalVolumeId", "The provider's id of the volume."),
            Parameter.body("namespace", Parameter.Type.TEXT, "The namespace under which the volume is registered.")
                    .needed(),
            Parameter.body("volume", Parameter.Type.TEXT, "The id under which the volume is registered.")
                    .needed(),
            Parameter.body(
                            "requestedCapabilities",
                            Parameter.Type.OBJECTS,
                            "The ways in which the volume has to be usable; the plugin has to confirm them.",
                            List.of(ActionFields.accessMode(), ActionFields.attachmentMode()))
                    .needed(),
            SpecFields.VOLUME_CONTEXT,
            ActionFields.SECRETS
        };
    }

    private static Endpoint adopt() {
        return Endpoint.post("orphan adopt", ORPHAN + "/adopt", "Register a volume that only the provider knows")
                .description("The same as volume register with the external id. Find the owner of the volume first: it"
                        + " may belong to another cluster.")
                .with(orphan())
                .needs(MANAGEMENT + "; PLUGIN_READ; VOLUME_WRITE in the namespace")
                .action(VolumeActions.CHANGED, call -> {
                    VolumeKey key = ActionFields.volume(call.values());
                    return SpecFields.changed(
                            ActionFields.withSecrets(call).volumes().register(key, orphanSpec(call)));
                });
    }

    private static VolumeSpec orphanSpec(Call call) {
        return SpecFields.spec(call.values());
    }

    private static Endpoint deleteOrphan() {
        return Endpoint.post("orphan delete", ORPHAN + "/delete", "Delete a volume that only the provider knows")
                .description("The data is lost. The provider has to list the volume, and the search for orphans has to"
                        + " say that it certainly belongs to no volume of the state. The volume is registered under"
                        + " the given id and then deleted, so that the leader finishes the deletion. Find the owner of"
                        + " the volume first: it may belong to another cluster.")
                .with(orphan())
                .needs(MANAGEMENT + "; PLUGIN_READ; VOLUME_WRITE in the namespace")
                .destroys()
                .continues(
                        "If the volume is registered already, it stays so, and a deletion that was stored continues.")
                .action(call -> {
                    VolumeKey key = ActionFields.volume(call.values());
                    VolumeSpec spec = orphanSpec(call);
                    CallerOperations operations = ActionFields.withSecrets(call);
                    PluginId plugin = ActionFields.plugin(call.values());
                    ExternalVolumeId id = call.values().parsed("externalVolumeId", ExternalVolumeId::of);
                    return Steps.then(operations.operator().orphanedVolumes(plugin), orphans -> {
                        checkOrphan(orphans, id);
                        return Steps.then(
                                operations.volumes().register(key, spec),
                                registered -> operations.volumes().delete(key));
                    });
                });
    }

    private static void checkOrphan(OrphanedVolumes orphans, ExternalVolumeId id) {
        if (orphans.orphaned().contains(id)) {
            return;
        }
        throw new FailureException(Failure.of(
                "not-an-orphan",
                409,
                orphans.undecided().contains(id)
                        ? "volume " + id + " of plugin " + orphans.pluginId()
                                + " may belong to a volume whose creation is not finished; let that creation end first"
                        : "plugin " + orphans.pluginId() + " does not list volume " + id
                                + ", or a volume of the state refers to it; list the orphans again"));
    }

    private static Endpoint declareDeployment() {
        return Endpoint.put("deployment declare", DEPLOYMENT, "Declare the plugins that a deployment runs")
                .description("Replaces an earlier declaration.")
                .with(
                        Parameter.path("namespace", "The namespace of the deployment."),
                        Parameter.path("deployment", "The name of the deployment."),
                        Parameter.body(
                                        "plugins",
                                        Parameter.Type.OBJECTS,
                                        "Each plugin that it runs.",
                                        List.of(
                                                Parameter.body("plugin", Parameter.Type.TEXT, "The plugin.")
                                                        .needed(),
                                                Parameter.body(
                                                        "controllers",
                                                        Parameter.Type.NUMBER,
                                                        "The expected instances of the controller service; 0 if not"
                                                                + " given."),
                                                Parameter.body(
                                                        "nodes",
                                                        Parameter.Type.NUMBER,
                                                        "The expected instances of the node service; 0 if not given.")))
                                .needed())
                .needs(MANAGEMENT)
                .action(call -> {
                    Map<PluginId, ExpectedInstances> expected = new LinkedHashMap<>();
                    for (Values plugin : call.values().objects("plugins")) {
                        expected.put(
                                ActionFields.plugin(plugin),
                                ActionFields.valid(
                                        plugin.name(),
                                        () -> new ExpectedInstances(
                                                plugin.whole("controllers"), plugin.whole("nodes"))));
                    }
                    return call.operations()
                            .cluster()
                            .deploymentDeclared(PluginDeployment.of(deployment(call.values()), expected));
                });
    }

    private static DeploymentId deployment(Values values) {
        return ActionFields.valid(
                "deployment", () -> DeploymentId.of(values.text("namespace"), values.text("deployment")));
    }

    private static Endpoint removeDeployment() {
        return Endpoint.delete("deployment remove", DEPLOYMENT, "Report that a deployment runs no plugins any more")
                .with(
                        Parameter.path("namespace", "The namespace of the deployment."),
                        Parameter.path("deployment", "The name of the deployment."))
                .needs(MANAGEMENT)
                .destroys()
                .action(call -> call.operations().cluster().deploymentRemoved(deployment(call.values())));
    }
}
