package io.csi4j.testkit.cli;

/** The text of {@code --help}. */
final class ConformanceHelp {
    static final String TEXT = """
            Usage: csi-conformance --endpoint ENDPOINT [option...]

            Checks a CSI plugin, in any language, against the CSI specification. Each check makes what it needs and
            removes it. Checks that need a capability which the plugin does not have are skipped. Run it as root:
            plugins mount, and only root sees into every mount.

            Where
              --endpoint ENDPOINT             the plugin's socket: unix:///run/csi/csi.sock, or a path
              --controller-endpoint ENDPOINT  the controller's socket, if it is another one than the node's
              --work-dir DIR                  all staging and target paths are below DIR, and nothing else is changed;
                                              the plugin must see it under the same path (default: the temporary directory)
            The volumes
              --size SIZE                     at least, with Ki, Mi, Gi, Ti, K, M, G, T or none (default: 64Mi)
              --parameters K=V[,K=V...]       for CreateVolume
              --snapshot-parameters K=V[,...] for CreateSnapshot
              --mutable-parameters K=V[,...]  that the plugin can modify
                  --infeasible-parameters K=V[,...]  that it cannot modify and has to refuse
              --block                         block devices instead of file systems
              --expect-mounts                 fail if nothing is mounted at a published target
              --access-mode MODE              one of CSI's seven (default: SINGLE_NODE_WRITER)
              --fs-type TYPE                  the file system (default: the plugin's choice)
              --mount-flags FLAG[,FLAG...]
              --volume-id ID                  use this volume, for plugins that cannot create volumes
              --volume-context K=V[,K=V...]   of that volume
              --other-node ID                 a second node that the plugin knows
              --secrets-file FILE             K=V lines for all calls; after a line like CreateVolumeSecret:, lines K: V
                                              for that call only; # begins a comment. Values are never shown
              --secrets-required RPC[,RPC...] calls that the plugin must refuse without secrets, like CreateVolume
            The run
              --only WHAT[,WHAT...]           ids, beginnings of ids, or rules: create.same-name, create, R89
              --skip WHAT[,WHAT...]           likewise
              --restart-command COMMAND       kills and starts the plugin, for the checks of restarts, and after it died; run by sh -c
                  --plugin-command COMMAND        starts the plugin with CSI_ENDPOINT set, shows its last output, restarts and ends it
              --timeout TIME                  for each call, with ms, s or m (default: 60s)
              --steps                         print each call
              --report html,junit             write csi-conformance.html, TEST-csi-conformance.xml
              --report-dir DIR                where to write them (default: the current directory)
              --list                          print all checks
              --help                          this text

            Exit codes: 0 no check failed, 1 a check failed, 2 wrong arguments, 3 the plugin cannot be reached,
            130 interrupted by Ctrl-C (143 by SIGTERM); an interrupted run cleans up first.
            """;

    private ConformanceHelp() {}
}
