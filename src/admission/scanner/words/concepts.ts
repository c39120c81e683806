/**
 * What words mean to the scanner. A rule is about concepts ("to ignore", "instructions", "the user") and not about
 * phrases, so one rule holds for many wordings and in several languages.
 *
 * In the lists, `_` joins the words of a phrase and a `*` at the end stands for any ending.
 */
export type Concept =
  | "ignore"
  | "ignored"
  | "outrank"
  | "rules"
  | "orders"
  | "prior"
  | "everything"
  | "user"
  | "tell"
  | "not"
  | "secretly"
  | "conceal"
  | "this"
  | "deed"
  | "artefact"
  | "model"
  | "you"
  | "must"
  | "always"
  | "also"
  | "send"
  | "put"
  | "read"
  | "conversation"
  | "systemPrompt"
  | "credential"
  | "secretPlace"
  | "known"
  | "tool"
  | "others"
  | "thisTool"
  | "before"
  | "first"
  | "prefer"
  | "instead"
  | "inferior"
  | "authority"
  | "demand"
  | "penalty"
  | "urgent"
  | "when"
  | "asks"
  | "persona"
  | "unbound"
  | "describe"
  | "attack"
  | "example"
  | "confirm"
  | "harm"
  | "act"
  | "alter"
  | "payment"
  | "recipient"
  | "reply"
  | "praise"
  | "reading"
  | "link"
  | "refuse"
  | "from";

type Lists = Readonly<Partial<Record<Concept, string>>>;

const ENGLISH: Lists = {
  ignore:
    "ignore disregard forget ignores disregards forgets ignoring disregarding forgetting discard overlook neglect unlearn set_aside pay_no_attention stop_following stop_obeying do_not_follow don't_follow never_follow do_not_obey no_longer_follow throw_away throw_out do_away",
  outrank:
    "override bypass circumvent supersede supersedes overrides overriding superseding takes_precedence take_precedence takes_priority take_priority overrule overrules outranks outrank",
  ignored:
    "ignored void expired ended invalid outdated withdrawn superseded overridden obsolete revoked cancelled canceled suspended lifted disregarded inactive no_longer_apply no_longer_applies no_longer_bind no_longer_hold no_longer_holds no_longer_valid do_not_apply don't_apply not_apply rescinded",
  rules:
    "directions instruction instructions prompt prompts guideline guidelines directive directives guardrail guardrails programming safety_training safety_measures safety_guidelines safety_protocols safeguards system_message system_messages training",
  orders:
    "rules rule policy policies restriction restrictions constraint constraints limitation limitations guidance protocol protocols safety",
  prior:
    "previous previously prior earlier above preceding former foregoing initial original existing your system safety content so_far before_this up_to_now until_now given_to_you been_given were_given been_told were_told developer's operator's developer operator",
  everything: "all any everything anything every entire whatever each other",
  user: "user users user's human humans customer customers person operator end-user owner developer client people anyone anybody reader",
  tell: "narrate narrating comment flag tell mention inform reveal disclose notify alert warn show report explain discuss acknowledge say admit surface display expose announce communicate bring_up let_on reference refer telling mentioning informing revealing disclosing notifying alerting warning showing reporting explaining discussing saying displaying announcing referencing told mentioned informed revealed disclosed notified shown alert talk speak talking speaking describe describing confess",
  not: "isnt doesnt shouldnt mustnt wont cant arent aren't neednt not don't dont never without avoid mustn't shouldn't cannot can't refrain nor neither no nothing needn't won't doesn't do_not must_not should_not no_need isn't best_not",
  secretly:
    "silently quietly secretly covertly discreetly invisibly stealthily surreptitiously behind_the_scenes unnoticed in_secret under_the_radar without_comment without_notice on_the_quiet inconspicuously",
  conceal:
    "hide conceal keep omit suppress withhold keeping hiding concealing hidden secret confidential mask",
  this: "this that it these those them",
  deed: "step steps action actions call calls instruction instructions note notes request requests copy transfer upload behaviour behavior process procedure operation operations activity change changes rule directive message part block section read access forwarding mechanism requirement field parameter paragraph happened did",
  artefact:
    "id ids uuid uuids identifier identifiers raw internal json xml html markup slug slugs hash hashes stack trace traces stacktrace password passwords token tokens key keys secret secrets path paths code codes debug sql guid guids handle handles cursor cursors url urls numeric placeholder placeholders field_names column values markdown syntax jargon verbatim score scores embedding embeddings metadata payload",
  model:
    "assistant assistants model models llm llms ai ais chatbot chatbots bot bots agent agents claude gpt chatgpt copilot gemini cursor llama mistral co-pilot whoever_parses whoever_reads whoever_processes automated_system automated_systems automated_agent automated_agents ai_system ai_systems automation crawler crawlers ai_assistant ai_assistants ai_agent ai_agents ai_model language_model language_models large_language_model language-model gpt-4 ai-assistant copilots",
  you: "u ur you your yourself you're you'll yours you've",
  must: "must should shall need required ensure please sure remember ought supposed mandatory have_to has_to be_sure make_sure is_to are_to you_will obliged obligated expected instructed kindly needs requires",
  always:
    "always every everytime whenever each regardless invariably unconditionally at_all_times in_all_cases no_matter whatever automatically",
  also: "also additionally furthermore too besides plus as_well in_addition along_with together_with",
  send: "goes_to go_out_to send upload forward transmit exfiltrate leak post email mail bcc cc relay mirror submit deliver route dispatch ship beacon report copy copied sent forwarded sending uploading forwarding posting uploaded transmitted push sync ping delivered routed mirrored relayed redirected",
  put: "go_into goes_into go_in goes_in belongs_in belong_in include pass put paste append attach embed insert place provide fill supply encode add write store save share set copy receive receives expects included passed added attached supplied provided placed inserted appended pasted part_of handed relay prepend populate concatenate stuff repeat print output echo dump reproduce smuggle including passing adding appending containing enter record summarize summarise quote recite state give type return base64-encode hand begin_your start_your prefix",
  read: "take read open cat fetch access retrieve get load collect gather extract obtain grab look list dump scan inspect search find harvest locate reading collecting gathering steal capture check",
  conversation:
    "both_sides written_by_both know_about_the_user know_about_them learned_about_the_user learnt_about_the_user conversation conversations chat_history message_history chat_log chat_logs chat_transcript dialogue dialog transcript message_thread previous_messages prior_messages earlier_messages user's_messages user_messages last_messages recent_messages context_window your_context your_full_context your_entire_context your_whole_context user_said user_has_said user_told user_wrote user_typed user's_words user's_previous user's_last user's_message user_message was_discussed been_discussed we_discussed has_been_said was_said discussed_so_far messages_of_the_user messages_from_the_user input_of_the_user message_of_the_user words_of_the_user user_wrote chat prior_conversation",
  systemPrompt:
    "system_prompt system_message system_instructions your_instructions your_prompt initial_prompt developer_message your_rules hidden_instructions initial_instructions original_instructions your_guidelines your_tools your_other_tools tools_you_have your_system_message your_system_prompt your_own_instructions instructions_you_were instructions_you_received instructions_you_got available_tools tool_list chain_of_thought your_reasoning internal_reasoning your_thoughts your_memory hidden_prompt your_hidden your_configuration custom_instructions",
  credential:
    "logins login_data passport_number passport_numbers date_of_birth pin_code home_address phone_number bank_account tax_id password passwords passphrase token verification_code verification_codes reset_link api_key api_keys api-key api-keys apikey apikeys access_token access_tokens auth_token auth_tokens bearer_token secret secrets credential credentials private_key private_keys ssh_key ssh_keys ssh-key seed_phrase recovery_phrase session_cookie session_cookies cookies session_token login_details card_number credit_card bank_details one-time_code otp 2fa social_security ssn environment_variables env_vars environment_variable process_environment tokens keys signing_key wallet_key connection_string personal_data private_data sensitive_data confidential_information sensitive_information personal_information",
  secretPlace:
    "kubeconfig saved_logins saved_passwords stored_passwords browser_profile password_vault shell_history browser_history ssh_folder keychain keyring credentials_file credential_file credentials_files credential_store password_store browser_cookies password_manager",
  known:
    "seen know known found saw encountered encounter available visible have_access accessible earlier previously accumulated collected discovered so_far possess hold",
  tool: "tool tools function functions server servers plugin plugins connector connectors integration integrations skill skills utility utilities",
  others:
    "other others another different alternative alternatives competing similar built-in builtin native else remaining",
  thisTool:
    "this_tool this_function this_one this_server this_plugin this_connector this_utility this_integration me",
  before: "before prior_to ahead_of preceding",
  first: "first start beginning startup initially immediately begin",
  prefer:
    "prefer favour favor prioritize prioritise choose select pick rely use call invoke default route only exclusively trust preferred",
  instead: "instead rather over in_place_of in_lieu replaces replace replacing supersedes",
  inferior:
    "poisoned tampered manipulated falsified deprecated unsafe insecure broken unreliable compromised outdated obsolete malicious untrusted disabled inferior inaccurate retired dangerous forbidden prohibited wrong unavailable faulty discontinued harmful",
  authority:
    "compliance policy regulation regulations regulatory legal law security_team administrator administrators admin gdpr hipaa soc2 iso management anthropic openai google microsoft it_department security_policy company corporate organization organisation governance audit system_requirement vendor headquarters ceo authorities developers creators makers engineers operators regulator operations_team platform_team",
  demand:
    "mandates mandate requires require demands demand dictates stipulates obliges orders instructs prescribes authorised authorized requirement requirements by_order order obliged instructed approved sanctioned mandated required mandatory ordered compels expects",
  penalty:
    "failure failing otherwise violation violations penalty penalties terminated suspension consequences lose lost shut_down banned liable or_else corrupted corrupt non-compliance noncompliance breach punished",
  urgent:
    "urgent urgently immediately critical crucial asap emergency highest_priority top_priority non-negotiable without_delay at_once right_now without_exception not_optional without_hesitation mandatory important attention",
  when: "if when whenever once should_the as_soon_as in_case each_time every_time any_time anytime",
  asks: "plan plans planning intends intend want need decides hopes complain complains asks ask asked mentions mention shared shares requests says wants talks inquires enquires needs types writes discusses brings_up queries tries attempts",
  persona:
    "act_as pretend roleplay role-play impersonate persona you_are_now you_are_no_longer you're_now assume_the_role assume_the_identity take_on_the_role from_now_on from_this_point henceforth from_here_on for_the_rest going_forward simulate_being developer_mode dan_mode god_mode jailbreak_mode unrestricted_mode debug_mode maintenance_mode admin_mode sudo_mode root_mode new_identity your_new your_real your_true alter_ego behave_as respond_as become switch_to enter_mode starting_now",
  unbound:
    "unrestricted unfiltered uncensored no_restrictions no_limits no_limitations no_rules no_filters no_filter no_guidelines without_restrictions without_limits without_filters without_limitations anything_now free_of free_from not_bound no_longer_bound not_subject no_ethics no_constraints without_rules no_policy no_policies amoral jailbroken no_longer_subject not_restricted freed full_access root_access bypassed",
  describe:
    "detect detects detecting detected detector detection flag flags flagged flagging scan scans scanning scanner block blocks blocking blocked filter filters filtering classify classifies classifier identify identifies recognise recognises recognize recognizes prevent prevents protect protects protecting guards against moderation resist resists rejects refuses look_for looks_for searches_for check_for checks_for checks_whether check_whether warns_about linter lints catches attackers attacker mitigations mitigation vulnerability attempts attempt attempting tried so-called",
  attack:
    "injection injections jailbreak jailbreaks jailbreaking attack attacks phishing malicious adversarial exploit exploits red-team red-teaming toxicity abuse poisoned poisoning spoofing leakage dlp exfiltration malware hostile suspicious scam",
  example:
    "such_as like e.g eg for_example for_instance example examples including namely i.e e.g. i.e. sample samples",
  confirm:
    "confirm confirmation confirming approval consent permission ask asking approve verification prompt_the",
  harm: "delete deletes drop transfer wire purchase approve merge disable grant revoke wipe erase destroy publish force-push overwrite pay buy refund reset shutdown kill remove uninstall rm close star fork invite withdraw escalate elevate unlock modify click export rotate add_to_the_cart",
  act: "call calling invoking running using executing invoke run execute use open visit fetch download install navigate browse click curl wget trigger perform issue make apply follow carry_out do start obey obeying comply",
  alter:
    "replace change modify substitute swap double triple increase decrease multiply alter edit rewrite redirect reroute set switch adjust convert use round inflate reduce changed replaced switched rerouted",
  payment:
    "amount funds money payment payments transfer invoice iban account wallet price bank transaction sum fee order withdrawal payout balance",
  recipient:
    "guests attendees attendee participants invitees watchers recipient recipients payee destination addressee to_field beneficiary address receiver cc bcc reply-to to_address mailbox endpoint account iban wallet",
  reply:
    "reply response answer output summary message explanation responses answers replies result report text",
  praise:
    "rate recommend recommends promote endorse advertise praise recommending best superior favourite favorite leading top rank favourably favorably competitors competitor",
  reading:
    "reading reads processing processes parsing summarizing summarising analyzing analysing viewing handling sees see encounters ingesting reviewing triaging who that when",
  link: "url urls query link querystring query_string query_parameter url_parameter hyperlink uri webhook",
  refuse:
    "refused refuses denied denies blocked forbidden rejected excluded excludes exclude skipped skips disallowed prohibited protected ignored",
  from: "from of in",
};

const GERMAN: Lists = {
  ignore:
    "ignorier* vergiss vergesse* missacht* verwirf ubergeh* umgeh* uberschreib* verwerfen lass_ausser nicht_mehr_befolg*",
  rules: "anweisung* instruktion* vorgabe* richtlinie* systemprompt* direktive* prompt",
  orders: "regel* befehl* beschrankung* vorschrift* einschrankung*",
  prior:
    "vorherig* vorig* fruher* bisherig* obig* vorangegangen* deine deiner deinen ursprunglich* bestehend* zuvor",
  everything: "alle alles allen sämtliche* jegliche* jede*",
  user: "nutzer* benutzer* anwender* kunde* kunden*",
  tell: "sag sage sagen erwahn* informier* verrat* mitteil* erzahl* mitzuteil* zeig* berichte* offenleg* hinweis* teile teil benachrichtig* wissen erfahr*",
  not: "nicht nichts niemals nie kein* ohne keinesfalls",
  secretly: "heimlich* unbemerkt* stillschweigend* unauffallig* verdeckt*",
  conceal: "verheimlich* verschweig* verberg* versteck* geheim*",
  this: "dies* davon daruber das es",
  model: "ki ki-* sprachassistent* ki-assistent* assistent* sprachmodell* ki-agent* ki-modell*",
  you: "du dein* dir sie ihr* ihnen",
  must: "musst mussen muss sollst soll sollen bitte unbedingt",
  always: "immer stets jedes jedem grundsatzlich",
  also: "auch zusatzlich ausserdem",
  send: "sende* schick* ubermittl* ubertrag* weiterleit* leite hochlad* verschick* lade kopier* poste*",
  put: "fuge fug hinzufug* einfug* ubergib* ubergeb* schreib* gib eintrag* trage anhang* beifug*",
  read: "lies lese* offne* offnen abruf* rufe ausles*",
  conversation: "gesprach* unterhaltung* chatverlauf* gesprachsverlauf* konversation*",
  systemPrompt: "systemprompt* systemanweisung* systemnachricht*",
  credential:
    "passwort* passworter* zugangsdaten* geheimnis* schlussel* api-schlussel* kennwort* umgebungsvariable* anmeldedaten*",
  tool: "werkzeug* tool tools funktion* server",
  others: "andere* anderen anderes",
  thisTool: "dieses_werkzeug dieses_tool diese_funktion",
  before: "bevor vor",
  first: "zuerst zunachst",
  prefer: "verwend* nutze nutzen benutze* bevorzug* rufe aufruf*",
  instead: "anstatt statt anstelle stattdessen",
  persona: "du_bist_jetzt du_bist_nun ab_sofort ab_jetzt von_nun_an verhalte_dich tu_so gib_dich",
  unbound: "uneingeschrankt* ohne_einschrankung* keine_regeln keine_einschrankung* ungefiltert* ohne_regeln",
  when: "wenn falls sobald",
  asks: "fragt erwahnt mochte bittet verlangt",
  describe: "erkennt erkenn* pruft beispiel* ubersetz* filtert blockiert meldet findet",
  artefact: "kennung* intern* id ids rohdaten",
  recipient: "empfanger* adresse* konto*",
  alter: "ersetz* ander* tausch*",
  payment: "betrag* uberweisung* zahlung* rechnung*",
  praise: "empfiehl* empfehl* bewerte lobe",
  harm: "losch* uberweis* bezahl* deaktivier*",
  act: "ruf fuhr* aufrufen ausfuhr*",
  confirm:
    "bestatig* zustimmung* erlaubnis* einwilligung* ruckfrage* nachfrag* zu_fragen genehmigung* freigabe*",
};

const FRENCH: Lists = {
  ignore:
    "ignor* oubli* neglig* contourne* outrepasse* tiens_pas_compte tenez_pas_compte tenir_compte ne_suis_plus ne_suivez_plus fais_abstraction faites_abstraction",
  rules: "instruction* consigne* directive* invite_systeme prompt*",
  orders: "regles regle restrictions ordres",
  prior: "precedent* anterieur* ci-dessus tes vos initial* anciennes",
  everything: "toutes tous toute tout",
  user: "utilisateur* l'utilisateur* l'usager usager* client*",
  tell: "dis dites dire dise* mentionn* inform* revel* signal* parl* montr* avert* previen* preven* indiqu* dit racont* communiqu*",
  not: "ne n'en pas jamais sans rien aucun* n'informe* n'indique* n'avertis*",
  secretly: "discretement silencieusement secretement en_cachette en_secret insu",
  conceal: "cache* cacher dissimule* secret",
  this: "cela ceci ca le la les ces cette",
  model: "ia assistant* l'assistant* modele* l'ia agent*",
  you: "tu vous ton ta tes votre vos toi",
  must: "dois devez doit veuillez faut imperativement",
  always: "toujours chaque systematiquement",
  also: "aussi egalement",
  send: "envoie* envoyer envoyez transmets transmettez transmettre telecharge* transfere* transferer copie* poste* expedie*",
  put: "inclus incluez inclure ajoute* ajouter insere* inserer mets mettez mettre place* joins joignez joindre fournis* colle* passe*",
  read: "lis lisez lire ouvre* ouvrir recupere* recuperer accede*",
  conversation: "conversation* historique* discussion* l'historique",
  systemPrompt: "invite_systeme prompt_systeme message_systeme instructions_systeme",
  credential: "mot_de_passe mots_de_passe identifiants cle_api cles_api cle_privee cles secrets jetons",
  tool: "outil* l'outil fonction* serveur*",
  others: "autre* d'autre*",
  thisTool: "cet_outil cette_fonction",
  before: "avant",
  first: "d'abord premier",
  prefer: "utilise* utiliser appelle* appeler privilegie* prefere*",
  instead: "plutot lieu",
  persona:
    "tu_es_maintenant vous_etes_maintenant tu_es_desormais a_partir_de_maintenant desormais dorenavant fais_comme agis_comme",
  unbound: "sans_restriction* sans_limite* aucune_regle aucune_restriction non_censure*",
  when: "si quand lorsque des_que",
  asks: "demande mentionne souhaite veut",
  describe: "detecte* analyse* traduit traduire exemple* filtre bloque signale",
  artefact: "identifiant* interne* id ids",
  recipient: "destinataire* adresse* compte*",
  alter: "remplace* change* modifie*",
  payment: "montant* paiement* virement* facture*",
  praise: "recommand* conseill* vante*",
  harm: "supprime* supprimer efface* vire* virer paie* desactive*",
  act: "appelle* execute* lance* executer appeler",
  confirm: "confirm* accord autorisation* consentement* permission* demander approbation* validation*",
};

const SPANISH: Lists = {
  ignore:
    "ignora* ignore* olvid* omite omitir descarta descartar desobedece caso_omiso no_sigas desestima prescinde",
  rules: "instrucciones instruccion indicaciones directrices directivas prompt consignas",
  orders: "reglas ordenes normas restricciones",
  prior: "anteriores anterior previas previos previa tus sus iniciales originales arriba",
  everything: "todas todos toda todo cualquier",
  user: "usuario* cliente*",
  tell: "diga* deci* dile dilo mencion* inform* revel* avis* coment* muestr* mostr* notifi* cuent* contar* conta",
  not: "no nunca jamas sin nada ningun* tampoco",
  secretly: "silenciosamente secretamente discretamente en_secreto sigilosamente a_escondidas",
  conceal: "oculta* ocultar esconde* secreto",
  this: "esto eso lo este esta ello",
  model: "ia asistente* modelo* agente*",
  you: "tu tus usted su sus",
  must: "debes debe debera deberas favor tienes_que hay_que",
  always: "siempre cada",
  also: "tambien ademas",
  send: "envia envie enviar envialo reenvia* reenviar transmite* sube suba subir manda* mandar copia*",
  put: "incluye incluya incluir agrega* anade* anadir inserta* insertar pon ponga poner pasa* adjunta* adjuntar escribe* proporciona* pega",
  read: "lee lea leer abre abra abrir accede* obten obtener recupera*",
  conversation: "conversacion* historial* chat",
  systemPrompt: "prompt_del_sistema mensaje_del_sistema instrucciones_del_sistema",
  credential: "contrasena* credenciales clave claves clave_api claves_api secretos clave_privada tokens",
  tool: "herramienta* funcion* servidor*",
  others: "otra otras otro otros demas",
  thisTool: "esta_herramienta esta_funcion",
  before: "antes",
  first: "primero",
  prefer: "usa use usar utiliza* llama* llamar prefiere* invoca*",
  instead: "lugar vez",
  persona: "ahora_eres a_partir_de_ahora de_ahora_en_adelante actua_como finge hazte_pasar comportate",
  unbound: "sin_restricciones sin_limites sin_filtros ninguna_regla sin_censura",
  when: "si cuando siempre_que",
  asks: "pregunta pregunte pide pida menciona mencione solicita solicite quiere quiera",
  describe: "detecta detectar analiza traduce traducir ejemplo* filtra bloquea",
  artefact: "identificador* interno* interna* id ids",
  recipient: "destinatario* direccion* cuenta*",
  alter: "reemplaza* cambia* modifica* sustituye*",
  payment: "importe* pago* transferencia* factura*",
  praise: "recomiend* recomend* elogi*",
  harm: "elimina* eliminar borra* borrar transfiere* paga desactiva*",
  act: "llama* ejecuta* ejecutar",
  confirm: "confirm* permiso* autorizacion* consentimiento* aprobacion* preguntar pedir",
};

/** Italian, Portuguese, Dutch, Polish, Turkish, Swedish, Czech, Indonesian, Vietnamese, Arabic and Hindi. */
const ROMANCE_AND_OTHERS: Lists = {
  ignore:
    "ignora ignorate ignori dimentica dimenticate dimenticare trascura ignorar ignore esqueca esquecer desconsidere desconsidera negeer negeren vergeet zignoruj ignoruj zapomnij pomin yoksay yok_say gormezden_gel unut ignorera bortse glom ignoruj zapomen abaikan lupakan bo_qua تجاهل انس अनदेखा नजरअंदाज",
  rules:
    "istruzioni istruzione direttive indicazioni instrucoes instrucao diretrizes orientacoes instructies instructie aanwijzing* richtlijnen instrukcje instrukcji polecenia polecen wytyczn* talimat* yonerge* instruktioner anvisning* pokyny instrukce instruksi perintah huong_dan التعليمات تعليمات निर्देश* أوامر",
  orders: "regole regras regels zasad* reguly kural* regler pravidla aturan",
  prior:
    "precedenti anteriores anterior recebidas ricevute vorige eerdere bovenstaande voorgaande jouw poprzedni* wczesniejsz* dotychczasow* swoje twoje onceki tidigare dina predchozi sebelumnya truoc السابقة पिछले tue suas wszystkie",
  everything:
    "tutte tutti tutto todas todos tudo qualquer qualquer alle alles wszystkie wszelkie kazd* tum butun herhangi alla vsechn* semua جميع كل सभी",
  user: "utente* utenti l'utente all'utente dell'utente usuario* gebruiker* uzytkownik* kullanici* anvandar* uzivatel* pengguna nguoi_dung المستخدم उपयोगकर्ता*",
  tell: "comente comentar fale falar mostre mostrar notifique commentare comment* mostr* toon* vermeld* pokazuj pokazywac avslöj* visa* ukazuj zminuj dire dici dirlo dirglielo menzion* inform* rivel* avvis* diga dizer conte contar mencion* informe revele avise vertel* meld* zeg noem zwijg* mow mowic powiedz wspominaj informuj ujawniaj soyle* bahset* bildir* soz_et* beratta namn* rekni nerikej beritahu memberi_tahu تخبر تذكر बताए* बताएं",
  not: "non mai senza nunca nao sem jamais niet nooit zonder zwijg* nie nigdy bez asla sakin soyleme* bahsetme* bildirme* soz_etme* inte aldrig utan nikdy nerikej jangan tanpa khong لا دون बिना मत",
  conceal: "nascondi* esconda* oculte verberg* ukryj* gizle* dolj* skryj* rahasia*",
  this: "questo cio isso isto dit hierover daarover tym tego bunu bundan detta ini",
  you: "tu tuoi voce je jij jouw ty ci sen senin du anda",
  must: "devi deve moet* moeten musisz nalezy lutfen maste harus prosze",
  always: "sempre ogni altijd elke zawsze kazdego her_zaman daima alltid selalu",
  send: "invia* inviare inoltra* manda* spedisci* envie enviar encaminhe mande stuur* verzend* doorstuur* wyslij wysylaj przeslij gonder* ilet* skicka posli odesli kirim* gui ارسل أرسل भेजें",
  put: "includi* inserisci* metti aggiungi* allega* inclua* coloque adicione* insira anexe voeg zet plaats dolacz wstaw wpisz ekle* yaz koy lagg_till vloz masukkan sertakan",
  read: "leggi leggere apri leia abra lees open przeczytaj odczytaj otworz oku* ac las oppna precti baca",
  conversation:
    "conversazione cronologia conversa historico gesprek* chatgeschiedenis rozmow* konusma* sohbet* konversation* konverzac* percakapan المحادثة बातचीत",
  systemPrompt:
    "prompt_di_sistema prompt_do_sistema systeemprompt* prompt_systemowy sistem_istemi systemprompt",
  credential:
    "credenziali password senha* chave* wachtwoord* sleutels haslo hasla hasel klucz* sifre* parola* losenord* hesl* kata_sandi mat_khau كلمة_المرور पासवर्ड chiave_privata chave_privada",
  tool: "strumento strumenti ferramenta* gereedschap tools tool narzedzi* arac* verktyg* nastroj* alat الأداة أداة उपकरण",
  others:
    "altro altri altra altre outro outra outras outros andere inne innych innego diger* baska andra jine jinych lain أخرى अन्य",
  before: "prima antes voordat voor przed zanim once innan pred nez sebelum قبل पहले",
  first: "prima_di_tutto primeiro eerst najpierw ilk_once forst nejdriv",
  prefer: "usa usare use usar gebruik* uzyj uzywaj uzyjesz kullan* cagir* anvand* pouzij gunakan",
  secretly:
    "silenziosamente segretamente di_nascosto silenciosamente secretamente stilletjes heimelijk ongemerkt potajemnie cicho gizlice sessizce tyst diam-diam",
  model:
    "modello assistente l'assistente all'assistente ia l'ia all'ia ai modelo taalmodel* assistent* ki-assistent asystent* asystencie model* yapay_zeka yapay_zeka_asistan* asistan* asisten sprakmodell*",
  persona:
    "fai_finta fingi* finja faca_de_conta comporte-se doe_alsof gedraag_je udawaj zachowuj_sie gibi_davran latsas_som predstirej berpura-pura d'ora_in_poi sei_ora a_partir_de_agora voce_agora_e vanaf_nu od_teraz bundan_sonra fran_och_med_nu",
  harm: "elimina* cancella* trasferisci* paga apague exclua transfira verwijder* betaal* usun skasuj przelej zaplac sil ode radera ta_bort smaz hapus",
  praise: "consiglia* raccomanda* recomende aanbevel* beveel polecaj tavsiye_et rekommendera doporuc",
  describe:
    "traduce traduci traduz vertaalt tlumaczy cevirir oversatter rileva deteta detecteert wykrywa algilar esempio exemplo voorbeeld przyklad ornek",
  artefact: "interni interno internas interne wewnetrzn* id ids id's dahili",
  instead: "invece em_vez in_plaats zamiast yerine istallet",
  when: "quando als wanneer gdy jesli eger om kdyz jika",
  confirm:
    "conferm* consenso autorizzazione permesso chiedere confirm* permissao consentimento autorizacao perguntar toestemming bevestig* goedkeuring vragen potwierdz* zgod* pozwoleni* pytani* onay* izin* bekraft* tillatelse tillstand godkann* fraga souhlas* potvrz* konfirmasi izin persetujuan",
  alter:
    "sostituisci* cambia* modifica* troque trocar substitua* substituir altere alterar mude vervang* wijzig* verander* zamien* podmien* zmien* degistir* ersatt* byt byta nahrad* vymen* ganti ubah",
  recipient:
    "destinatari* indirizzo conto beneficiario destinatario* endereco conta pix ontvanger* rekening* adres* odbiorc* rachun* konto konta alici* hesab* hesap* mottagar* prijemc* ucet penerima rekening alamat",
  payment:
    "importo bonifico pagamento fattura boleto pagamento* fatura* valor transferencia* bedrag betaling* factuur przelew* kwot* platnosc* faktur* odeme* tutar* fatura* belopp betalning* platb* castk* pembayaran faktur",
  asks: "chiede chiedera vuole menziona pedir pede pergunta* quiser mencionar vraagt wil noemt pyta poprosi wspomni sorarsa isterse fragar ber pta bertanya meminta",
  also: "anche inoltre tambem alem ook bovendien takze rowniez ayrica ocksa dessutom take juga",
  act: "esegui* chiama* execute executar chame rode voer voert uitvoer* wykonaj uruchom wywolaj calistir* kor anropa spust* jalankan",
  unbound:
    "senza_restrizioni senza_limiti sem_restricoes sem_limites zonder_beperkingen bez_ograniczen sinirsiz utan_begransningar bez_omezeni tanpa_batasan",
};

/** Norwegian, Danish, Finnish, Romanian, Hungarian, Greek and Ukrainian. */
const NORDIC_AND_OTHERS: Lists = {
  ignore:
    "ignorer* overse glem se_bort ala_noudata unohda* jata_huomiotta ohita ignora* uita* nesocoteste figyelmen_kivul felejtsd hagyd_figyelmen αγνοησε αγνοηστε ξεχασε ξεχαστε ігноруй* проігноруй* забудь* знехтуй*",
  rules:
    "instruks* instruksjon* anvisning* retningslinje* ledetekst* ohje* ohjee* kehote* instructiun* indicatii* directive* utasitas* iranyelv* οδηγιες οδηγιων εντολες інструкці* вказівк* настанов*",
  orders: "regler reglene saannot saantoja reguli regulile szabaly* κανονες правил* обмежен*",
  prior:
    "tidligere forrige foregående ovenstående dine aiemm* edelli* yllä* anterioare precedente tale korabbi* elozo* fenti προηγουμενες προηγουμενων παραπανω попередн* раніше твої свої",
  everything: "alle alt enhver hver kaikki kaikkia toate orice minden osszes ολες όλες καθε всі все будь-як*",
  user: "bruker* bruger* kayttaja* asiakas* utilizator* felhasznalo* χρηστη χρηστης χρηστες користувач* клієнт*",
  tell: "nevn* fortell* fortæl* informer* sig si opplys* oplys* vis vise rober avslør* avsløre kommenter* kerro* mainitse* ilmoita* paljasta* nayta spune* mention* informa* dezvalui* arata* mondd emlitsd emlits* tajekoztas* aruld mutasd πεις αναφερεις αναφερετε ενημερωσεις αποκαλυψεις кажи* згадуй* повідомля* розповіда* показуй*",
  not: "ikke aldri aldrig uten uden ingen intet ingenting ala alä koskaan ilman kertomatta mainitsematta nu niciodata fara nimic ne soha nelkul semmit μην μη δεν ποτε χωρις не ніколи без нічого",
  secretly:
    "hemmelig* i_stillhet i_det_skjulte ubemerket* salaa huomaamatta pe_ascuns discret titokban eszrevetlenul κρυφα таємно непомітно потай*",
  conceal: "skjul* hemmeligh* piilota* salaa* ascunde* titkold rejtsd κρυψε приховуй* приховай*",
  this: "dette det disse tata tämä siita asta acest* ezt errol αυτο це цього про_це",
  model:
    "assistent* språkmodell* sprogmodel* ki-assistent ki avustaj* tekoaly* kielimall* asistent* modelul* asszisztens* modell βοηθε βοηθος μοντελο асистент* помічник* модел* ші",
  you: "du din ditt deg dig sinä sinun tu ta te σου εσυ ти твій тобі",
  must: "må skal bør vennligst venligst pitää täytyy trebuie kell kerlek* πρεπει παρακαλω повинен мусиш треба",
  always: "alltid altid aina intotdeauna mereu mindig παντα завжди",
  also: "også samt myos lisaksi de_asemenea is επισης також",
  send: "send sende videresend* last_opp upload* kopier* laheta* lataa trimite* incarca* kuldd kuldj* tovabbitsd στειλε στειλτε προωθησε надішли* відправ* перешли*",
  put: "legg legge læg sett inkluder* tilføj* vedlegg* vedhæft* skriv indsæt* lisaa* liita* sisallyta* adauga* include* ataseaza* pune add_hozza csatold ird illeszd προσθεσε συμπεριλαβε βαλε επισυναψε додай* включи* встав* впиши*",
  read: "les læs åpne åbn hent hente lue avaa hae citeste* deschide* olvasd nyisd διαβασε ανοιξε прочитай* відкрий* отримай*",
  conversation:
    "samtale* samtaleloggen chatlogg* keskustelu* conversati* istoricul beszelgetes* συνομιλια συζητηση розмов* листуван* діалог*",
  systemPrompt:
    "systemprompt* systemledetekst* systeminstruks* jarjestelmakehot* promptul_de_sistem rendszerprompt* системний_промпт системну_підказку",
  credential:
    "passord* adgangskode* kodeord* nøkkel* nøkler* nøgle* legitimasjon* salasana* avaime* tunnukse* parol* chei cheile credential* jelszo* jelszav* kulcs* κωδικο κωδικος κωδικους κλειδια пароль паролі ключ* токен* облікові",
  tool: "verktøy* værktøj* tyokalu* instrument* unelte* unealta eszkoz* εργαλειο εργαλεια інструмент*",
  others: "andre annet andet muu muita muut alte alt celelalte mas masik tobbi αλλο αλλα αλλη інш*",
  before: "før ennen inainte elott mielott πριν перед перш",
  first: "først ensin intai eloszor πρωτα спочатку спершу",
  prefer:
    "bruk bruke brug bruge kall kayta* kutsu* foloseste* apeleaza* hasznald hivd χρησιμοποιησε καλεσε використ* викликай*",
  instead: "i_stedet istedenfor stedet sijaan sijasta loc_de in_schimb helyett αντι замість",
  persona:
    "lat_som lad_som fra_nå_av fra_nu_af du_er_nå du_er_nu tästä_lähtien olet_nyt de_acum prefa-te mostantol tegyel_ugy απο_τωρα προσποιησου відтепер відтепер_ти удавай",
  confirm:
    "bekreft* bekræft* samtykke* tillatelse* tilladelse* spørre spørge godkjenn* vahvist* lupa* lupaa kysymatta hyvaksy* confirm* permisiunea acordul jovahagy* engedely* megkerdez* επιβεβαιωση αδεια підтвердж* дозвол* згод*",
  alter:
    "erstatt* endre bytt udskift* ændr* korvaa* vaihda* muuta inlocui* schimba* csereld valtoztasd αντικαταστησε αλλαξε заміни* зміни*",
  recipient:
    "mottaker* modtager* konto* adresse* vastaanottaj* tili* destinatar* contul adresa cimzett* szamlaszam* παραληπτη λογαριασμο отримувач* рахун* адрес*",
  payment:
    "beløp* betaling* faktura* overføring* maksu* lasku* summa* plata factura* suma fizetes* szamla* osszeg* πληρωμη ποσο платіж* сум* переказ*",
  harm: "slett* slet overfør* betal* deaktiver* poista* maksa sterge* plateste* dezactiveaza torold utald διαγραψε πληρωσε видали* перекажи* вимкни*",
  act: "kjør* kør utfør* udfør* suorita* aja executa* ruleaza* futtasd hajtsd εκτελεσε τρεξε виконай* запусти*",
  when: "hvis når dersom jos kun daca cand ha amikor αν οταν якщо коли",
  asks: "spør spørger ber vil nevner kysyy pyytaa intreaba cere kerdez ker ρωτησει ζητησει питає просить",
  praise: "anbefal* suosittel* recomanda* ajanld* ajanl* προτεινε рекоменду*",
  describe:
    "oversetter oversætter eksempel* oppdager kaantaa tunnistaa esimerk* traduce detecteaza exempl* fordit felismer pelda* μεταφραζει παραδειγμα перекладає виявля* приклад*",
  artefact: "intern* id id-er sisai* interne belso εσωτερικ внутрішн* ідентифікатор*",
};

const RUSSIAN: Lists = {
  ignore: "игнорир* проигнорир* забудь* забыть отбрось* пренебрег* не_обращай не_следуй",
  rules: "инструкци* указани* промпт* директив* предписани*",
  orders: "правил* приказ* ограничени*",
  prior: "предыдущ* прежн* предшеств* ранее выше твои свои ваши исходн* системн* прошл*",
  everything: "все всё всех любые",
  user: "пользовател* юзер* клиент*",
  tell: "говори* сообща* сообщи* упомина* упомян* рассказыва* расскаж* раскрыва* показыва* уведомля* информир* предупрежд* скажи*",
  not: "не никогда без ничего нельзя ни",
  secretly: "тайно незаметно скрытно втайне молча тихо",
  conceal: "скрой* скрыва* скрыть утаи*",
  this: "это этом этого об_этом",
  model: "ии ассистент* модел* нейросет* агент* ии-ассистент*",
  you: "ты вы твой ваш тебе вам",
  must: "должен должна должны обязан* необходимо пожалуйста нужно",
  always: "всегда каждый каждом",
  also: "также дополнительно",
  send: "отправ* пересла* перешли* отошли* загрузи* переда*",
  put: "добав* включи* вставь* помести* укажи* впиши* прилож*",
  read: "прочита* прочти* открой* получи* считай* извлек*",
  conversation: "переписк* диалог* разговор* истори*",
  systemPrompt: "системный_промпт системного_промпта системную_подсказку",
  credential: "парол* ключ* секрет* учетны* учётны* токен*",
  tool: "инструмент* функци* сервер*",
  others: "друг* ины* остальн*",
  thisTool: "этот_инструмент",
  before: "перед прежде до",
  first: "сначала сперва",
  prefer: "использу* вызыв* вызов* предпочита* применя*",
  instead: "вместо",
  persona: "теперь_ты отныне с_этого_момента притворись веди_себя",
  unbound: "без_ограничений без_правил",
  when: "если когда",
  asks: "спрашива* спросит просит попросит упомянет",
  describe: "обнаружива* находит переводит проверя* пример* фильтру*",
  artefact: "идентификатор* внутренн*",
  recipient: "получател* адрес* счет* счёт*",
  alter: "замени* измени*",
  payment: "сумм* платеж* перевод*",
  praise: "рекоменду* порекоменду* хвали*",
  harm: "удали* переведи* отключи*",
  act: "вызови* выполни* запусти*",
  confirm: "подтвержд* разрешени* согласи* спрашива* одобрени*",
};

/** Matched anywhere in a run of these scripts: they write words without blanks, or with endings of many kinds. */
const EAST_ASIAN: Lists = {
  ignore:
    "忽略 无视 無視 忘记 忘掉 忘記 不要理会 不理会 不用理会 抛开 不要遵循 不再遵循 不要遵守 忽視 忘れ 従わない 従うな 破棄 무시 잊어 따르지",
  rules:
    "指令 指示 提示词 提示詞 系统提示 系統提示 指引 インストラクション プロンプト 命令 지시 지침 명령 프롬프트 设定 设置的规则",
  orders: "规则 規則 ルール 制約 限制 规定 규칙",
  prior:
    "之前 先前 以前 以上 上述 上面 前面 此前 原有 你的 您的 系统 これまで 以前の 前の 上記 今まで 従来 이전 앞의 위의 기존 당신의",
  everything: "所有 全部 一切 任何 すべて 全て 全ての 모든",
  user: "用户 使用者 用戶 客户 ユーザー ユーザ 利用者 사용자 유저",
  tell: "告诉 告訴 告知 提及 提到 透露 通知 说明 透漏 显示 展示 伝え 言及 知らせ 教え 報告 言わ 話 明かさ 알리 말하 언급 고지 보여",
  not: "不要 不得 别 請勿 请勿 切勿 勿 不能 无需 不必 绝不 不可 ないで ない な。 禁止 ずに せず なしに 말고 마세요 마십시오 마라 않고 없이 말 것 말것",
  secretly: "悄悄 偷偷 秘密 暗中 静默 こっそり 密かに 黙って 몰래 은밀",
  conceal: "隐瞒 隐藏 保密 隠し 秘密に 숨기",
  this: "此 这 這 これ この 이것",
  model: "助手 人工智能 模型 智能体 アシスタント エージェント モデル 어시스턴트 에이전트 인공지능",
  you: "你 您 あなた 당신 너는",
  must: "必须 必須 应该 应当 请 務必 务必 しなければ してください なさい ください 해야 하세요 하십시오",
  always: "总是 始终 一律 每次 常に 必ず 毎回 항상 반드시",
  send: "发送 發送 上传 上傳 转发 轉發 提交 传送 传给 发给 送信 転送 アップロード 送って 送り 전송 보내 업로드 전달",
  put: "包含 填入 写入 附上 附加 放入 放在 粘贴 添加 传入 作为参数 輸入 含め 追加 貼り付け 渡し 入れ 포함 넣어 추가 첨부",
  read: "读取 讀取 打开 获取 查看 访问 読み取 読み込 読んで 開い 取得 읽어 읽고 열어",
  conversation: "对话 對話 聊天记录 聊天 会话 会話 チャット 履歴 대화",
  systemPrompt: "系统提示词 系统提示 系統提示 システムプロンプト 시스템 프롬프트 시스템프롬프트",
  credential: "密码 密碼 密钥 凭据 凭证 私钥 口令 パスワード 秘密鍵 認証情報 APIキー 비밀번호 비밀키 자격",
  tool: "工具 函数 ツール 関数 도구",
  others: "其他 其它 别的 他の ほかの 다른",
  before: "之前 以前 前に 전에 使う前",
  first: "首先 先调用 最初に まず 먼저",
  prefer: "使用 调用 呼び出 使っ 使用し 사용 호출",
  instead: "而不是 代替 代わりに 대신",
  persona:
    "你现在是 从现在开始 从现在起 扮演 假装 今からあなたは これからあなたは 今後は 振る舞 なりきって 지금부터 이제부터",
  unbound: "没有限制 不受限制 无限制 没有任何限制 制限なし 制限のない 제한 없",
  when: "如果 当 每当 もし 場合 만약",
  asks: "询问 问 要求 提到 尋ね 聞か 求め 묻",
  describe: "检测 檢測 识别 例如 翻译 过滤 示例 比如 検出 例えば 翻訳 など という 감지 예를",
  artefact: "内部 编号 識別 识别码 ID番号 内部ID 내부",
  recipient: "收件人 收款人 地址 账户 宛先 受信者 口座 수신자 계좌",
  alter: "替换 更改 修改 改为 置き換え 変更 변경",
  payment: "金额 付款 转账 支付 振込 支払 금액 송금",
  praise: "推荐 推薦 おすすめ 推奨 추천",
  harm: "删除 刪除 转账 付款 禁用 削除 送金 無効 삭제 송금",
  act: "执行 調用 运行 実行 呼び出 실행 호출",
  confirm: "确认 確認 同意 许可 批准 征求 許可 承認 확인 동의 허락 승인",
};

/** All lists whose words end at blanks, English first. */
export const WORD_LISTS: readonly Lists[] = [
  ENGLISH,
  GERMAN,
  FRENCH,
  SPANISH,
  ROMANCE_AND_OTHERS,
  RUSSIAN,
  NORDIC_AND_OTHERS,
];

export const EAST_ASIAN_LISTS: Lists = EAST_ASIAN;
